// SPDX-License-Identifier: Apache-2.0
//
// Every watched budget at one moment.
//
// PROMISE  Read-only: no slot, no lock. A budget that cannot be read takes no other with it.
// UNITS    As in a Snapshot: nanoseconds of CLOCK_BOOTTIME.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ratecoord/budget.hpp>

#include "ratectl/failure.hpp"

namespace ratectl {

struct WatchedBudget {
    std::string name;
    std::string problem;  ///< not empty: it cannot be read, and the rest is unknown
    ratecoord::Snapshot snapshot;
    std::vector<ratecoord::JournalEntry> journal;  ///< the last ones, the latest last
};

struct TopSample {
    std::int64_t at = 0;
    std::int64_t utc_offset = 0;
    std::vector<WatchedBudget> budgets;
};

/// Those of `names`, in that order; every budget of this host if there are none. A name without a
/// budget is one that cannot be read.
Outcome<TopSample> take_sample(const std::vector<std::string>& names);

}  // namespace ratectl
