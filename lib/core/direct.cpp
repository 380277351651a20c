// SPDX-License-Identifier: Apache-2.0
#include "core/direct.hpp"

#include "core/pause.hpp"

namespace ratecoord::core {
namespace {

/// What a lane will be once the request is drawn.
struct After {
    LaneState* lane;
    Instant full_at;
    std::uint32_t used;
};

bool is_clear(const State& state, const Request& request, Instant now) noexcept {
    const StateHead& head = *state.head;
    constexpr std::uint32_t in_the_way = flag_shadow | flag_retired | flag_probe_required;
    return request.count >= 1 && request.count <= max_charges && head.entries_in_use == 0 &&
           head.plan == Plan::fresh && (head.flags & in_the_way) == 0 &&
           request.lane == Lane::normal &&
           !((head.flags & flag_halted) != 0 && request.intent == Intent::open) &&
           paused_until(head) <= now;
}

/// Whether the cell of a draw is known, open and alone.
bool is_ready(const State& state, const Rule& rule, const Draw& draw, Instant now) noexcept {
    if (!is_bound(state, rule, draw)) return false;
    const Cell& cell = state.cell_storage[draw.cell];
    if (cell.previous != none || now < cell.opens_at) return false;
    return cell.key == none || state.key_storage[cell.key].pause_until <= now;
}

bool fits_bucket(const Rule& rule, LaneState& s, std::uint32_t units, Instant now, Found& found,
                 After& after) noexcept {
    const Bucket& bucket = rule.lane[0].bucket;
    const Instant next = std::max(s.full_at, now) + bucket.time(units);
    if (next - now > bucket.tolerance) return false;
    after = {&s, next, s.used};
    found.hand_out_until = std::min(found.hand_out_until, now + rule.slack / 2);
    found.valid_until = std::min(found.valid_until, now + rule.slack);
    return true;
}

/// Only inside the window that is counted already: its first request goes the long way.
bool fits_window(const StateHead& head, const Rule& rule, Cell& cell, std::uint32_t units,
                 Instant now, Found& found, After& after) noexcept {
    LaneState& s = cell.lane[0];
    const LaneRule& lane = rule.lane[0];
    const std::int64_t into = now + head.utc_offset - s.window_utc;
    if (into < rule.slack || into >= rule.window - rule.slack) return false;
    if (std::uint64_t{s.used} + units > lane.quota) return false;
    after = {&s, s.full_at, s.used + units};
    if (is_paced(rule, cell, now)) {
        const std::int64_t time = lane.bucket.time(units);
        const Instant next = std::max(s.full_at, now) + time;
        if (next - now > pace_tolerance(lane, now < cell.paced_until, time)) return false;
        after.full_at = next;
    }
    const Instant end = now - into + rule.window;
    found.hand_out_until = std::min(found.hand_out_until, end - rule.slack);
    found.valid_until = std::min(found.valid_until, end - rule.slack / 2);
    return true;
}

}  // namespace

bool grant_direct(State& state, const Rules& rules, const Request& request, Instant now,
                  Answer& answer) noexcept {
    if (!is_clear(state, request, now)) return false;
    std::array<After, max_charges> after;
    Found found;
    for (std::size_t i = 0; i < request.count; ++i) {
        const Draw& draw = request.draws[i];
        if (draw.limit >= state.head->limits_in_use) return false;
        const Rule& rule = rules.current[draw.limit];
        if (!is_ready(state, rule, draw, now)) return false;
        Cell& cell = state.cell_storage[draw.cell];
        const bool fits =
            draw.units <= rule.lane[0].largest &&
            (rule.is_fixed()
                 ? fits_window(*state.head, rule, cell, draw.units, now, found, after[i])
                 : fits_bucket(rule, cell.lane[0], draw.units, now, found, after[i]));
        if (!fits) return false;
    }
    for (std::size_t i = 0; i < request.count; ++i) {
        after[i].lane->full_at = after[i].full_at;
        after[i].lane->used = after[i].used;
    }
    answer.verdict = Verdict::granted;
    answer.changed = true;
    answer.id = state.head->next_id++;
    answer.at = now;
    answer.hand_out_until = found.hand_out_until;
    answer.valid_until = found.valid_until;
    return true;
}

}  // namespace ratecoord::core
