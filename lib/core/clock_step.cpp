// SPDX-License-Identifier: Apache-2.0
#include "core/clock_step.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/pause.hpp"
#include "core/plan.hpp"

namespace ratecoord::core {
namespace {

constexpr std::int64_t offset_jitter_ns = 5 * millisecond_ns;

/// Whether any pause stands.
bool is_stopped(const State& state, Instant now) noexcept {
    const auto keys = state.keys();
    return paused_until(*state.head) > now ||
           std::any_of(keys.begin(), keys.end(),
                       [&](const Key& key) { return key.in_use != 0 && key.pause_until > now; });
}

/// The window that runs under the new clock holds what the one that ran and the one before it held.
void carry_over(const StateHead& head, const Rule& rule, Cell& cell, std::int64_t old_offset,
                Instant now) noexcept {
    const Instant window = window_start(now + head.utc_offset, rule.window);
    for (std::size_t l = 0; l < lanes; ++l) {
        LaneState& s = cell.lane[l];
        const Instant ran = std::max(window_start(now + old_offset, rule.window), s.window_utc);
        const std::uint64_t held = std::uint64_t{spent_in(rule, cell, l, ran)} +
                                   spent_in(rule, cell, l, ran - rule.window);
        s = LaneState{s.full_at, window,
                      static_cast<std::uint32_t>(std::min(held, rule.lane[l].quota)), 0};
    }
    cell.outside = 0;
    // A window that was closed, because others may have drawn from it before us, stays closed to
    // its new end.
    const bool cold = (head.flags & flag_full_start) == 0 && rule.window <= long_window_ns &&
                      window - head.utc_offset < head.cold_until;
    if (cold || cell.opens_at > now) {
        cell.opens_at = std::max(cell.opens_at, window - head.utc_offset + rule.window);
    }
}

}  // namespace

bool renew_offset(State& state, const Rules& rules, std::int64_t utc_offset, Instant now) noexcept {
    now = advance_clock(state, now);
    StateHead& head = *state.head;
    utc_offset = sound_offset(utc_offset);
    const std::int64_t difference = utc_offset - head.utc_offset;
    if (std::llabs(difference) <= offset_jitter_ns) return false;
    begin_replan(state, rules, now);
    const std::int64_t old_offset = head.utc_offset;
    head.utc_offset = utc_offset;
    // Many small steps are one large one: by themselves none of them would ever carry a window over.
    head.offset_stepped = add(head.offset_stepped, saturate(std::llabs(difference)));
    bool all = true;
    // Saved in UTC that is behind now, a stop would end early for whoever starts from the file.
    if (difference > 0 && is_stopped(state, now)) ++head.stops_version;
    for (Cell& cell : state.cells()) {
        if (cell.in_use == 0 || !rules.of(cell).is_fixed()) continue;
        const Rule& rule = rules.of(cell);
        if (head.offset_stepped <= rule.slack / 2) {
            all = false;
            continue;
        }
        carry_over(head, rule, cell, old_offset, now);
    }
    if (all) head.offset_stepped = 0;
    return true;
}

}  // namespace ratecoord::core
