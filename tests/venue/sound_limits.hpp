// SPDX-License-Identifier: Apache-2.0
//
// The sound beginning of a profile, and what is found behind it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "venue/sample.hpp"

namespace ratecoord::testing {

inline constexpr std::string_view limits =
    "[limits.weight]\nkind = \"fixed\"\nquota = 100\nwindow = \"1m\"\n"  // lines 7 to 10
    "[limits.orders]\nkind = \"rolling\"\nquota = 10\nwindow = \"1s\"\nper = \"account\"\n"
    "[operations.get]\nintent = \"read\"\ncost.weight = 1\n";  // lines 16 to 18

using Lines = std::vector<std::string>;

/// Findings of the sound limits above with `rest` behind them, which begins on line 19.
inline Lines after_limits(std::string_view rest) {
    return findings_of(with_head(std::string(limits) + std::string(rest)));
}

}  // namespace ratecoord::testing
