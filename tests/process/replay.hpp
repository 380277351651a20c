// SPDX-License-Identifier: Apache-2.0
//
// Permits that real processes were given, planned once more by the reference model, one after the
// other in their order of arrival (G5).
//
// PROMISE  R1  A permit's instant must be the earliest at which its limits' definitions hold for it
//              and for everyone who asked before: sooner would delay somebody, later would be out
//              of turn. The rules are the reference model's; no arithmetic is the library's.
//          R2  The commit that planned it happened between `asked` and `decided`, at a reading of
//              the clock that nobody saw; any one in between explains the instant, none else.
// NEEDS    Every permit of the budget, and no pause, cancel, lapse or change of a limit meanwhile.
// UNITS    Nanoseconds of CLOCK_BOOTTIME.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/reference_model.hpp"

namespace replay {

struct Draw {
    std::size_t limit = 0;
    std::string key = {};
    std::uint64_t units = 1;
};

struct Given {
    std::uint64_t id = 0;  ///< numbered in order of arrival
    std::int64_t asked = 0;
    std::int64_t decided = 0;
    std::int64_t at = 0;
    std::vector<Draw> draws;
};

struct Result {
    std::size_t same = 0;
    std::vector<std::string> others;  ///< one line each
};

Result plan_again(const std::vector<core_test::ReferenceRule>& rules, std::int64_t utc_offset,
                  std::vector<Given> given);

}  // namespace replay
