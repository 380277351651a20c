// SPDX-License-Identifier: Apache-2.0
//
// Order statistics of a few measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

/// The value below which `part` (0 to 1) of the figures lie. Needs at least one.
inline double quantile(std::vector<double> figures, double part) {
    const auto last = static_cast<double>(figures.size() - 1);
    const auto at = static_cast<std::ptrdiff_t>(part * last + 0.5);
    std::nth_element(figures.begin(), figures.begin() + at, figures.end());
    return figures[static_cast<std::size_t>(at)];
}

inline double median(std::vector<double> figures) {
    return quantile(std::move(figures), 0.5);
}

}  // namespace bench
