// SPDX-License-Identifier: Apache-2.0
//
// The library's calls as commands need them: errors come as Failures that say what was wanted.
#pragma once

#include <string>
#include <string_view>

#include <ratecoord/budget.hpp>

#include "ratectl/failure.hpp"

namespace ratectl {

/// Attaches to change the budget, even one whose clients took every slot. `what` completes
/// "cannot ...".
Outcome<ratecoord::Budget> attach_budget(const std::string& what, std::string_view name);
/// Attaches to draw from it, as the client `label`.
Outcome<ratecoord::Budget> attach_client(const std::string& what, std::string_view name,
                                         const std::string& label);
/// Looks without a slot or a lock.
Outcome<ratecoord::Snapshot> look_at(const std::string& what, std::string_view name);

/// The Failure of `error` about the budget `name`, with the next command where the library names
/// none.
Failure budget_failure(const std::string& what, std::string_view name,
                       const ratecoord::Error& error);

/// The pause in force of that kind, or 0.
std::int64_t pause_end(const ratecoord::Snapshot& snapshot, ratecoord::PauseKind kind);

std::string_view name_of(ratecoord::PauseKind kind) noexcept;

/// More than one reply in a hundred after its permit's end: the p99 exceeds the slack, and a
/// request may reach the venue in another window than it was charged to (G1). False for too few.
bool replies_come_late(const ratecoord::ClientSnapshot& client) noexcept;

}  // namespace ratectl
