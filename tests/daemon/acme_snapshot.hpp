// SPDX-License-Identifier: Apache-2.0
//
// A budget that is banned for two seconds more, with one limit and one bot.
#pragma once

#include <ratecoord/snapshot.hpp>

namespace ratecoord::testing {

inline ratecoord::Snapshot snapshot_of(std::uint64_t used) {
    ratecoord::Snapshot snapshot;
    snapshot.name = "acme";
    snapshot.now = 1'000'000'000;
    snapshot.utc_offset = 5'000'000'000;
    snapshot.state = ratecoord::BudgetState::banned;
    snapshot.pause_until.at(static_cast<std::size_t>(ratecoord::PauseKind::ban)) = 3'000'000'000;
    snapshot.limits.resize(1);
    auto& limit = snapshot.limits[0];
    limit.definition.name = "orders";
    limit.definition.quota = 10;
    limit.definition.window = std::chrono::seconds(1);
    limit.cells.resize(1);
    limit.cells[0].lanes.resize(1);
    limit.cells[0].lanes[0].used = used;
    limit.cells[0].lanes[0].most = 10;
    limit.cells[0].outside = 2;
    ratecoord::DrawnSnapshot drawn;
    drawn.label = "<b>bot\xff";  // neither markup nor UTF-8
    drawn.pid = 42;
    drawn.permits = 3;
    drawn.units = 7;
    limit.drawn_by.push_back(drawn);
    return snapshot;
}

}  // namespace ratecoord::testing
