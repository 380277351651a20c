// SPDX-License-Identifier: Apache-2.0
//
// What was drawn from each limit: charging, giving back, and which cell a request draws from.
//
// PROMISE  C1  charge() books units at the instant they may go, never at the instant they were
//              asked for, in the cell and in the predecessor that still counts.
//          C2  refund() gives units back in a fixed limit while the permit's window runs, and
//              nowhere else: in a bucket it would let two bursts meet in one window (G1).
//          C3  bind() hands out a key's cell only to that key; a cell is recycled only when it is
//              full, unpaused and unreserved.
//          C4  cool() leaves no full bucket for the end of a pause: bucket kinds start empty there,
//              fixed ones are paced with burst 1 until their next window, one minute at most.
// SHARING  Pure functions of the state handed in.
#pragma once

#include "core/rule.hpp"
#include "core/state.hpp"

namespace ratecoord::core {

/// One limit a request draws from. `cell` and `generation` remember the last binding.
struct Draw {
    std::uint16_t limit = 0;
    std::uint16_t cell = none;
    std::uint32_t generation = 0;
    std::uint32_t units = 0;
    std::uint64_t key_high = 0;  ///< both 0 where the limit is not keyed
    std::uint64_t key_low = 0;
};

/// A request: all it draws from; it gets all or nothing.
struct Request {
    std::array<Draw, max_charges> draws;
    std::uint8_t count = 0;
    Lane lane = Lane::normal;
    Intent intent = Intent::open;
    std::uint16_t slot = 0;
    std::uint32_t slot_generation = 0;
    Instant deadline = 0;
};

enum class Binding { bound, keys_full, too_large, unknown_limit };

/// Finds or makes the cell of every draw. `which` names the draw that failed. Needs draws that name
/// each limit and key once.
Binding bind(State& state, const Rules& rules, Request& request, Instant now,
             std::size_t& which) noexcept;

/// Index of a key, made if it is new; none if there is no room and no idle one.
std::uint16_t key_index(State& state, const Rules& rules, std::uint64_t high, std::uint64_t low,
                        Instant now) noexcept;

/// Whether the cell that a draw remembers is still the one it must draw from. The key is compared
/// too: a binding made in a decision that was thrown away may name a cell that another key was
/// given since, under the same generation.
bool is_bound(const State& state, const Rule& rule, const Draw& draw) noexcept;

/// State of a limit nobody has drawn from since the segment was made (cold start, DESIGN section
/// 4). `same_rule`: the saved definition of the budget before was this one.
Cell cold_cell(const StateHead& head, const Rule& rule, std::uint16_t limit, std::uint16_t key,
               bool same_rule) noexcept;

/// C4 for a pause that ends at `until`.
void cool(const StateHead& head, const Rule& rule, Cell& cell, Instant until) noexcept;

/// End of the pauses that cover a cell; 0 if none was ever set.
Instant paused_until(const State& state, const Cell& cell) noexcept;

void charge(State& state, const Rules& rules, std::uint16_t cell, std::size_t lane,
            std::uint32_t units, Instant at) noexcept;

/// False where nothing may come back (C2).
bool refund(State& state, const Rules& rules, std::uint16_t cell, std::size_t lane,
            std::uint32_t units, Instant at, Instant now) noexcept;

/// Units a lane would grant at `now` with an empty calendar; 0 before it opens.
std::uint64_t available(const StateHead& head, const Rule& rule, const Cell& cell, std::size_t lane,
                        Instant now) noexcept;

/// Units drawn in the fixed window that runs at `now`, outside use included.
std::uint32_t used_in_window(const StateHead& head, const Rule& rule, const Cell& cell,
                             std::size_t lane, Instant now) noexcept;

/// Units of the window `window_utc` that are spent before any entry of the calendar.
std::uint32_t spent_in(const Rule& rule, const Cell& cell, std::size_t lane,
                       Instant window_utc) noexcept;

/// Whether the pace inside a fixed window binds a request at `at`.
inline bool is_paced(const Rule& rule, const Cell& cell, Instant at) noexcept {
    return rule.is_fixed() && (rule.spread || at < cell.paced_until);
}

/// Tolerance of the pace for a request that takes `time`; it delays but never refuses (R3).
inline std::int64_t pace_tolerance(const LaneRule& lane, bool burst_one,
                                   std::int64_t time) noexcept {
    return std::max(burst_one ? lane.single : lane.bucket.tolerance, time);
}

/// Adds units drawn by no client of ours to the window that runs at `now`: normal lane first, then
/// the critical one; what neither has room for stays on the normal one, above its quota, so that
/// units given back later do not free what a stranger took.
void charge_outside(State& state, const Rules& rules, std::uint16_t cell, std::uint32_t units,
                    Instant now) noexcept;

}  // namespace ratecoord::core
