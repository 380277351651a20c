// SPDX-License-Identifier: Apache-2.0
//
// Moving reservations: earlier when room came free, anew when the plan no longer holds.
//
// PROMISE  N1  advance: entry by entry in order of arrival, taken out and entered again with all
//              others left standing; no instant ever grows.
//          N2  replan: unconfirmed entries are entered anew in order of arrival; one pushed past
//              its deadline, or refused by a halt, leaves uncharged.
//          N3  At most `moves_max` entries a step, so that no commit takes more than 2 ms (G6); the
//              cursor and the mark stand in the state, whoever sees them goes on.
// SHARING  Pure functions of the state and the workspace handed in.
#pragma once

#include "core/calendar.hpp"

namespace ratecoord::core {

inline constexpr std::size_t moves_max = 64;

/// Marks every unconfirmed entry to be entered anew, and starts over if that was under way.
void begin_replan(State& state) noexcept;

/// The same before something changes under the plan (a pause, a limit, the wall clock): everything
/// that may have been sent is charged first, under the rules it was sent under.
void begin_replan(State& state, const Rules& rules, Instant now) noexcept;

/// Room came free: entries may move to earlier instants.
void begin_advance(State& state) noexcept;

struct Step {
    bool more = false;  ///< the plan is still stale
    bool wake = false;  ///< a waiter's instant came near or a reservation left: bump the epoch
    std::size_t moved = 0;
};
Step step(State& state, const Rules& rules, Workspace& workspace, Instant now) noexcept;

/// Whether every live entry still fits at its own instant; replans if not (outside use).
void check_plan(State& state, const Rules& rules, Workspace& workspace) noexcept;

}  // namespace ratecoord::core
