// SPDX-License-Identifier: Apache-2.0
#include "core/pause.hpp"

#include "core/plan.hpp"

namespace ratecoord::core {
namespace {

/// Takes back what cool() added for a pause that ends early: empty now, not at the old end.
void warm(const StateHead& head, const Rule& rule, Cell& cell, Instant now) noexcept {
    // A bucket that has not opened yet was empty as of its opening, not as of now.
    const Instant from = std::max(now, cell.opens_at);
    for (std::size_t l = 0; l < lanes; ++l) {
        LaneState& s = cell.lane[l];
        if (!rule.is_fixed()) {
            s.full_at = std::min(s.full_at, add(from, rule.lane[l].bucket.tolerance));
        }
    }
    if (rule.is_fixed() && cell.paced_until > now) {
        cell.paced_until = 0;
        cool(head, rule, cell, now);
    }
}

template <class Change>
void each_cell(State& state, const Rules& rules, std::uint16_t key, Change&& change) noexcept {
    for (Cell& cell : state.cells()) {
        if (cell.in_use == 0 || (key != none && cell.key != key)) continue;
        change(rules.of(cell), cell);
    }
}

void note_stop(State& state) noexcept {
    ++state.head->stops_version;
}

}  // namespace

Instant paused_until(const StateHead& head) noexcept {
    return std::max({head.pause_until[0], head.pause_until[1], head.pause_until[2]});
}

bool pause(State& state, const Rules& rules, PauseKind kind, std::uint16_t key, Instant until,
           Instant now) noexcept {
    now = advance_clock(state, now);
    until = saturate(until);
    Instant& stored = key == none ? state.head->pause_until[static_cast<std::size_t>(kind)]
                                  : state.key_storage[key].pause_until;
    if (until <= stored || until <= now) return false;
    begin_replan(state, rules, now);
    stored = until;
    each_cell(state, rules, key,
              [&](const Rule& rule, Cell& cell) { cool(*state.head, rule, cell, until); });
    if (key == none && kind == PauseKind::ban) {
        StateHead& head = *state.head;
        head.flags = (head.flags | flag_probe_required) & ~std::uint32_t{flag_probe_confirmed};
        if (head.strikes < 0xffff) ++head.strikes;
        head.probe_id = 0;
        head.probe_ban = until;
        head.probe_not_before = until;
        if (head.probe_timeout == 0) head.probe_timeout = probe_timeout_first_ns;
        head.probe_until = add(until, head.probe_timeout);
    }
    if (until - now > saved_pause_ns) note_stop(state);
    return true;
}

bool resume(State& state, const Rules& rules, ResumeScope scope, Instant now) noexcept {
    now = advance_clock(state, now);
    const std::array<bool, 3> wanted = {scope.cooldown, scope.ban, scope.manual};
    bool stood = false;
    for (std::size_t kind = 0; kind < wanted.size(); ++kind) {
        Instant& until = state.head->pause_until[kind];
        if (!wanted[kind] || until <= now) continue;
        until = 0;
        stood = true;
    }
    if (!stood) return false;
    begin_replan(state, rules, now);
    if (scope.ban && state.has(flag_probe_required)) {
        state.head->probe_not_before = now;
        state.head->probe_until = add(now, state.head->probe_timeout);
        state.head->probe_ban = 0;
    }
    each_cell(state, rules, none, [&](const Rule& rule, Cell& cell) {
        warm(*state.head, rule, cell, std::max(now, paused_until(state, cell)));
    });
    ++state.head->pause_generation;
    note_stop(state);
    return true;
}

void reset(State& state, const Rules& rules, Instant now) noexcept {
    now = advance_clock(state, now);
    begin_replan(state, rules, now);
    StateHead& head = *state.head;
    const bool banned = state.has(flag_probe_required);
    head.pause_until = {};
    for (Key& key : state.keys()) key.pause_until = 0;
    each_cell(state, rules, none, [&](const Rule& rule, Cell& cell) {
        warm(head, rule, cell, now);
        cool(head, rule, cell, now);
        if (!rule.is_fixed()) return;
        cell.outside = 0;
    });
    head.strikes = 0;
    head.probe_id = 0;
    head.probe_timeout = probe_timeout_first_ns;
    head.flags &= ~std::uint32_t{flag_probe_confirmed};
    if (banned) {
        head.probe_ban = 0;
        head.probe_not_before = now;
        head.probe_until = add(now, head.probe_timeout);
    }
    ++head.pause_generation;
    note_stop(state);
}

void halt(State& state) noexcept {
    state.head->flags |= flag_halted;
    note_stop(state);
    begin_replan(state);
}

void unhalt(State& state) noexcept {
    state.head->flags &= ~std::uint32_t{flag_halted};
    ++state.head->pause_generation;
    note_stop(state);
    ++state.head->epoch;
}

bool may_probe(const State& state, std::uint64_t id) noexcept {
    const StateHead& head = *state.head;
    if (id != 0 && id == head.probe_id) return true;
    return head.probe_id == 0;
}

void become_probe(State& state, std::uint64_t id, Instant at) noexcept {
    StateHead& head = *state.head;
    head.probe_id = id;
    head.probe_until = add(at, head.probe_timeout);
    head.flags &= ~std::uint32_t{flag_probe_confirmed};
    // Those already in the calendar were planned behind the end of another probe.
    for (const Entry& entry : state.entries()) {
        const bool free = (entry.flags & (entry_confirmed | entry_pending)) == 0;
        if (free && entry.id != id && entry.at < head.probe_until) return begin_replan(state);
    }
}

void drop_probe(State& state) noexcept {
    StateHead& head = *state.head;
    head.probe_id = 0;
    head.flags &= ~std::uint32_t{flag_probe_confirmed};
    begin_replan(state);
}

void probe_reply(State& state, std::uint64_t id, Outcome outcome, Instant now) noexcept {
    StateHead& head = *state.head;
    now = advance_clock(state, now);
    if (!state.has(flag_probe_required) || id == 0 || id != head.probe_id) return;
    // The ban it was started for has changed: a new probe will be chosen behind the new one.
    if (head.probe_ban != 0 && head.probe_ban != head.pause_until[1]) return;
    const bool opens =
        outcome == Outcome::ok || outcome == Outcome::rejected || outcome == Outcome::auth;
    if (opens) {
        head.flags &= ~(std::uint32_t{flag_probe_required} | flag_probe_confirmed);
        head.probe_id = 0;
        head.probe_timeout = probe_timeout_first_ns;
        head.strikes = 0;
        // What is saved of this ban is void, or the next segment would ask for a probe again.
        ++head.pause_generation;
        note_stop(state);
        begin_advance(state);
        ++head.epoch;
        return;
    }
    const Instant next = std::max(now, head.probe_until);
    head.probe_timeout = std::clamp(add(head.probe_timeout, head.probe_timeout),
                                    probe_timeout_first_ns, probe_timeout_last_ns);
    head.probe_not_before = next;
    head.probe_until = add(next, head.probe_timeout);
    drop_probe(state);
}

bool expire_probe(State& state, Instant now) noexcept {
    StateHead& head = *state.head;
    if (!state.has(flag_probe_required) || head.probe_id == 0 || now < head.probe_until) {
        return false;
    }
    probe_reply(state, head.probe_id, Outcome::failed, now);
    return true;
}

}  // namespace ratecoord::core
