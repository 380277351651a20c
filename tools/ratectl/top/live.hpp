// SPDX-License-Identifier: Apache-2.0
//
// `top` on a terminal: samples, keys and signals, until somebody ends it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ratectl/console.hpp"
#include "ratectl/top/view.hpp"

namespace ratectl {

struct LiveOptions {
    std::vector<std::string> names;  ///< none: every budget
    ViewOptions view;
    std::uint64_t count = 0;  ///< samples, then it ends; 0: until it is told to
};

/// The full-screen view. No value: this terminal cannot place text.
tl::expected<std::optional<ExitCode>, Failure> run_full_screen(const LiveOptions& options,
                                                               bool colour);
/// Frames as lines, or JSON documents, one after the other.
Done run_in_lines(const LiveOptions& options, Console& console);

}  // namespace ratectl
