// SPDX-License-Identifier: Apache-2.0
//
// The ordered list of a budget's reservations: who may send, and when.
//
// PROMISE  K1  reserve() gives the earliest instant that delays nobody before it (G5), or says why
//              not and when to come back; a refusal changes nothing.
//          K2  Nothing is granted for an instant before a pause that covers it ends (G2), nor to an
//              open while halted; confirm() checks both again.
//          K3  A permit is handed out once, at or after its instant and not after hand_out_until;
//              what comes too late stays spent (G1).
//          K4  cancel() of a reservation that lies ahead frees its units exactly.
//          K5  Every entry is charged at its own instant, in order of instant among those that
//              share a cell, so that the bill never depends on who is late.
// TIME     Reads no clock: `now` is an argument, and never goes back behind last_instant.
// SHARING  Pure functions of the state and the workspace handed in.
// ERRORS   None: refusals are verdicts.
#pragma once

#include "core/cells.hpp"
#include "core/search.hpp"
#include "core/state.hpp"

namespace ratecoord::core {

enum class Verdict : std::uint8_t {
    granted,   ///< send now, before valid_until
    reserved,  ///< come back at `at` and confirm
    not_yet,   ///< earliest instant is `at`, after the deadline
    paused,    ///< as not_yet, because of a pause until `until`
    halted,
    too_large,  ///< draw `which` can never fit
    calendar_full,
    keys_full,
    unknown_limit,
    plan_stale,  ///< run step() first, in commits of its own
    retired,
    gone,  ///< confirm: spent, lapsed or cancelled; it never sends
};

struct Answer {
    Verdict verdict = Verdict::gone;
    std::uint8_t which = 0;
    std::uint8_t critical_mask = 0;
    bool moved = false;    ///< confirm: the reservation stands at a new instant `at`
    bool changed = false;  ///< the state must be published
    std::uint64_t id = 0;
    Instant at = 0;
    Instant hand_out_until = 0;
    Instant valid_until = 0;
    Instant until = 0;  ///< end of the pause that decided
};

/// Scratch of one caller, made once.
struct Workspace {
    explicit Workspace(const Capacity& capacity) : search(capacity), trial(capacity.cells()) {}
    Search search;
    std::vector<Cell> trial;
};

/// `now`, or the latest instant the state has seen if that is later.
Instant advance_clock(State& state, Instant now) noexcept;

/// Charges what was confirmed or lapsed, in order, and drops predecessors that no longer count.
/// True if the state changed.
bool settle(State& state, const Rules& rules, Instant now) noexcept;

/// K1. A deadline at or before now makes it try_acquire.
Answer reserve(State& state, const Rules& rules, Workspace& workspace, Request& request,
               Instant now) noexcept;

/// Hands out the permit of a reservation whose instant has come.
Answer confirm(State& state, const Rules& rules, std::uint64_t id, std::uint16_t slot,
               std::uint32_t slot_generation, Instant now) noexcept;

/// Where a reservation stands: reserved with its instant, plan_stale, or gone.
Answer look_up(const State& state, std::uint64_t id, std::uint16_t slot,
               std::uint32_t slot_generation, Instant now) noexcept;

/// K4. False where the reservation is not there, is confirmed, or its instant has come.
bool cancel(State& state, std::uint64_t id, std::uint16_t slot, std::uint32_t slot_generation,
            Instant now) noexcept;

/// Takes a dead client's reservations out; how many.
std::size_t lapse_slot(State& state, std::uint16_t slot, std::uint32_t slot_generation) noexcept;

/// Gives back what a granted permit was charged in fixed limits (C2), or the part that the draws of
/// `request`, in the permit's order, name; units that came back.
std::uint64_t give_back(State& state, const Rules& rules, std::uint64_t id, const Request& request,
                        std::uint8_t critical_mask, Instant at, Instant now) noexcept;

/// Earliest instant a request may have, pauses and the probe considered.
Instant earliest_start(const State& state, const Request& request, std::uint64_t id,
                       Instant now) noexcept;
/// Enters `entry` in order of (at, id). Needs a free place.
void insert_entry(State& state, const Entry& entry) noexcept;
void erase_entry(State& state, std::size_t index) noexcept;
/// Index of reservation `id` of that client; entries_in_use where it has none.
std::size_t find_entry(const State& state, std::uint64_t id, std::uint16_t slot,
                       std::uint32_t slot_generation) noexcept;
/// Books all that `entry` draws, at its instant.
void charge_entry(State& state, const Rules& rules, const Entry& entry) noexcept;
Ask ask_of(const Entry& entry) noexcept;
Instant earliest_start(const State& state, const Entry& entry, Instant now) noexcept;

}  // namespace ratecoord::core
