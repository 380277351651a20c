// SPDX-License-Identifier: Apache-2.0
//
// What a worker of a kill storm does with its budget until it is killed.
//
// PROMISE  Whatever it draws was entered in the ledger as intended before, and as finished after.
// SHARING  The ledger is memory of parent and workers. Needs no test framework: programs of other
//          builds live by it too.
#pragma once

#include <chrono>
#include <cstdint>

#include <ratecoord/budget.hpp>

#include "fault/ledger.hpp"

namespace ratecoord::testing {

// Fast enough that a storm fills many windows, slow enough that most calls have to wait.
inline constexpr std::uint64_t storm_quota = 400;
inline constexpr auto storm_window = std::chrono::milliseconds(200);
inline constexpr auto storm_slack = std::chrono::milliseconds(100);
LimitDefinition storm_rule();
OpenOptions storm_sizes();

/// One life of a worker; the exit status of its process.
int live(Ledger& ledger, int worker, unsigned seed);

/// Returns once `more` calls were finished by whoever still can. Ends, or the budget is wedged.
void let_work(const Ledger& ledger, std::uint64_t more);

}  // namespace ratecoord::testing
