// SPDX-License-Identifier: Apache-2.0
//
// One workload in two ways: every worker on its own, and all with one budget.
//
// PROMISE  P9  Same request, same plan.
//          P10 Bounded: what would take more than `requests_most` requests or `searched_most` steps
//              in all, or longer than a year even when perfectly paced, is refused.
// UNITS    Seconds.
// SHARING  Pure functions.
// ERRORS   invalid_argument with one sentence: the limit cannot be kept, a request never fits, or
//          the plan is too large.
#pragma once

#include <cstdint>

#include <ratecoord/result.hpp>

#include "simulation/herd.hpp"

namespace simulation {

inline constexpr std::uint32_t workers_most = 10'000;
/// Of the shared budget: permits times workers, since the calendar is searched for each.
inline constexpr std::uint64_t searched_most = 400'000'000;

struct PlanRequest {
    Workload workload;
    BackoffRule backoff;
    std::uint64_t seed = 0;  ///< of the first run; the others follow
    std::uint64_t runs = 20;
    std::uint64_t requests_most = 100'000'000;  ///< of the herd, in all runs; seconds of work
};

/// Means of the runs.
struct PlanRow {
    double requests = 0;
    double rejected = 0;
    double late = 0;
    double last_success = 0;
    Timeline timeline;  ///< sums of the runs
    std::uint64_t runs = 0;
};

struct Plan {
    double bound = 0;         ///< earliest instant of the last success, whoever paces
    double kept_up_rate = 0;  ///< units a second that the shared budget can keep up
    PlanRow herd;
    PlanRow shared;
};

/// Needs 1 to workers_most workers, and at least one call, unit and run.
ratecoord::Result<Plan> make_plan(const PlanRequest& request);

}  // namespace simulation
