// SPDX-License-Identifier: Apache-2.0
//
// Stops: pauses of the budget and of a key, the probe after a ban, the halt.
//
// PROMISE  P1  A pause only grows; shorter or older news change nothing (G3).
//          P2  A pause is one short commit that marks the plan stale: reserve and confirm look at
//              pauses directly and give nothing against them, whoever replans and when (G2).
//          P3  Bucket kinds start empty at the end of a pause, fixed ones are paced with burst 1
//              until their next window, one minute at most: forty workers must not leave together.
//          P4  After a ban one request goes alone. Others are planned behind its end; only its own
//              success opens the budget.
//          P5  resume ends manual pauses; cooldown and ban end early only where the caller says so.
// SHARING  Pure functions of the state handed in.
#pragma once

#include "core/calendar.hpp"

namespace ratecoord::core {

inline constexpr std::int64_t probe_timeout_first_ns = 10 * second_ns;
inline constexpr std::int64_t probe_timeout_last_ns = 60 * second_ns;
/// Longer stops are saved so that they outlive the host (G8).
inline constexpr std::int64_t saved_pause_ns = 10 * second_ns;

/// Latest end of the pauses that cover the whole budget; 0 if none was ever set.
Instant paused_until(const StateHead& head) noexcept;

/// P1. True if it grew. `key` pauses one key, or `none` the budget.
bool pause(State& state, const Rules& rules, PauseKind kind, std::uint16_t key, Instant until,
           Instant now) noexcept;

struct ResumeScope {
    bool manual = true;
    bool cooldown = false;
    bool ban = false;  ///< the operator's word against the venue's
};
/// Ends pauses early. True if one stood.
bool resume(State& state, const Rules& rules, ResumeScope scope, Instant now) noexcept;

/// Clears every pause and strike, of keys too; buckets start empty and one probe goes first.
void reset(State& state, const Rules& rules, Instant now) noexcept;

void halt(State& state) noexcept;
void unhalt(State& state) noexcept;

/// A reply to permit `id`. Only the probe's own reply opens or closes anything.
void probe_reply(State& state, std::uint64_t id, Outcome outcome, Instant now) noexcept;

/// Forgets a probe that got no answer in time. True if the state changed.
bool expire_probe(State& state, Instant now) noexcept;

/// Whether `id`, or the request that asks now if id is 0, may go as the probe.
bool may_probe(const State& state, std::uint64_t id) noexcept;
void become_probe(State& state, std::uint64_t id, Instant at) noexcept;
/// The probe's reservation left the calendar unsent: another may take its place.
void drop_probe(State& state) noexcept;

}  // namespace ratecoord::core
