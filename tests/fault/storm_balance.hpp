// SPDX-License-Identifier: Apache-2.0
//
// Whether the books balance after a kill storm.
//
// PROMISE  A unit that was gained, a permit given twice or used too late, and what the dead left
//          behind all fail the test.
// SHARING  Once the workers have ended.
#pragma once

#include "fault/storm_life.hpp"
#include "support/limits.hpp"

namespace ratecoord::testing {

inline void check_balance(const Ledger& ledger, Budget& keeper, int kills) {
    const auto lines = ledger.permits.sorted();
    const auto given = must(keeper.snapshot()).limits.at(0).granted_permits;
    CHECK(ledger.errors == 0);
    // Counters are beside the state: a worker killed between publication and count loses its count.
    CHECK(ledger.sum(&Ledger::Line::finished) <= given + static_cast<std::uint64_t>(kills));
    CHECK(given <= ledger.sum(&Ledger::Line::intended));
    CHECK(same_id_twice(lines) == 0);
    CHECK(most_in_any_window(lines, std::chrono::nanoseconds(storm_window).count(),
                             std::chrono::nanoseconds(storm_slack).count()) <= storm_quota);
    CHECK(stale(lines) == 0);
    // No ghosts: once the dead are swept, nothing is left and a permit is to be had.
    must(keeper.sweep());
    CHECK(must(keeper.acquire(must(keeper.cost({{"orders", 1}})), 1min)));
}

}  // namespace ratecoord::testing
