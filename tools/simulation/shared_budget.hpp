// SPDX-License-Identifier: Apache-2.0
//
// The same workers with one budget between them.
//
// PROMISE  P5  Permits are the core's own (V3); what the venue admits is judged by Venue, which
//              knows nothing of permits.
//          P6  Where no request is under way for longer than the limit's slack, none is rejected
//              (G1). Nor is one late, if the limit is fixed and half its slack is enough: the other
//              half is kept for the difference of two clocks, which agree here.
//          A rejected one is counted, and asks for a permit again after its reply: the pause that a
//          429 sets would hide what this is to show.
// TIME     Virtual, in whole nanoseconds. A waiter wakes at the very instant of its permit.
// ERRORS   invalid_argument: the limit cannot be kept, or a request can never be granted.
#pragma once

#include <ratecoord/result.hpp>

#include "simulation/herd.hpp"

namespace simulation {

/// `seed` decides how long each request is under way; without service time nothing depends on it.
ratecoord::Result<Run> run_shared_budget(const Workload& workload, std::uint64_t seed,
                                         Timeline* timeline);

}  // namespace simulation
