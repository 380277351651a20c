// SPDX-License-Identifier: Apache-2.0
//
// Requests a second over time, as rows of text.
//
// PROMISE  At most 20 rows each, none wider than `width`. What is more than nothing is at least one
//          character. All plots of one call share one scale.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ratectl/console.hpp"
#include "simulation/timeline.hpp"

namespace ratectl {

struct Plot {
    std::string title;
    const simulation::Timeline& timeline;
    double runs = 1;  ///< that the timeline sums up
};

struct Axes {
    double quota = 0;          ///< a second, marked with '|'; 0: none
    std::size_t width = 80;    ///< in characters
    bool same_slices = false;  ///< rows of all plots stand for the same time
};

std::string render_plots(std::span<const Plot> plots, const Axes& axes, const Console& console);

}  // namespace ratectl
