// SPDX-License-Identifier: Apache-2.0
//
// The whole program but for its streams.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace ratectl {

/// `arguments` without the program's name; the exit code. Throws nothing: what is unforeseen ends
/// as 70.
int run(const std::vector<std::string>& arguments, std::ostream& results, std::ostream& narration,
        bool results_are_a_terminal) noexcept;

}  // namespace ratectl
