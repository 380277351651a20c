// SPDX-License-Identifier: Apache-2.0
#include "core/change.hpp"

#include <ratecoord/backoff.hpp>

#include "core/pause.hpp"
#include "core/plan.hpp"

namespace ratecoord::core {
namespace {

bool is_stricter(const Rule& now, const Rule& then) noexcept {
    if (now.kind != then.kind || now.window != then.window || now.keyed != then.keyed ||
        now.has_reserve != then.has_reserve || then.slack < now.slack) {
        return false;
    }
    for (std::size_t l = 0; l < lanes; ++l) {
        const LaneRule& a = now.lane[l];
        const LaneRule& b = then.lane[l];
        if (now.is_fixed()) {
            if (b.quota > a.quota || (now.spread && !then.spread)) return false;
            continue;
        }
        // Rates compared as fractions: a.quota/a.period >= b.quota/b.period.
        const auto rate_a = static_cast<unsigned __int128>(a.bucket.quota) *
                            static_cast<std::uint64_t>(b.bucket.period);
        const auto rate_b = static_cast<unsigned __int128>(b.bucket.quota) *
                            static_cast<std::uint64_t>(a.bucket.period);
        if (rate_b > rate_a || b.largest > a.largest || then.burst > now.burst) return false;
    }
    return true;
}

/// Units still owed under the old rule are owed under the new one, at its slower rate.
/// `from`: what lies before it is a pause or a cold start, no debt.
void convert_debt(const Rule& now_rule, const Rule& then, Cell& cell, Instant from) noexcept {
    for (std::size_t l = 0; l < lanes; ++l) {
        LaneState& s = cell.lane[l];
        if (s.full_at <= from) continue;
        const Bucket& old_bucket = now_rule.lane[l].bucket;
        const std::uint64_t owed =
            time_to_units(s.full_at - from, old_bucket.period, old_bucket.quota);
        s.full_at = add(from, then.lane[l].bucket.time(owed));
    }
}

/// State of a rule that starts now beside its predecessor.
Cell beside(const StateHead& head, const Rule& was, const Rule& then, const Cell& old_cell,
            Instant now) noexcept {
    Cell cell = old_cell;
    cell.outside = 0;
    for (std::size_t l = 0; l < lanes; ++l) {
        LaneState& s = cell.lane[l];
        if (!then.is_fixed()) {
            s = LaneState{};
            s.full_at = add(now, then.lane[l].bucket.tolerance);
        } else if (was.is_fixed() && was.window == then.window &&
                   was.has_reserve == then.has_reserve) {
            s.full_at = 0;  // the same windows go on counting
        } else {
            s = LaneState{};
            cell.opens_at =
                std::max(cell.opens_at, window_start(now + head.utc_offset, then.window) +
                                            then.window - head.utc_offset);
        }
    }
    return cell;
}

std::uint16_t free_cell(State& state) noexcept {
    for (std::uint16_t i = state.head->limits_in_use; i < state.head->cells_in_use; ++i) {
        if (state.cell_storage[i].in_use == 0) return i;
    }
    if (state.head->cells_in_use == state.cell_storage.size()) return none;
    state.cell_storage[state.head->cells_in_use] = Cell{};
    return state.head->cells_in_use++;
}

}  // namespace

void create(State& state, const Rules& rules, std::uint16_t limits,
            const Creation& creation) noexcept {
    StateHead& head = *state.head;
    head = StateHead{};
    head.last_instant = creation.now;
    head.next_id = 1;
    head.epoch = 1;
    head.created_at = creation.now;
    head.cold_until = creation.full ? creation.now : add(creation.now, cold_ns);
    head.utc_offset = sound_offset(creation.utc_offset);
    head.offset_stepped = 0;
    head.probe_timeout = probe_timeout_first_ns;
    head.pause_generation = 1;
    head.definitions_version = 1;
    head.retry_units = retry_units::full;
    head.flags = (creation.full ? std::uint32_t{flag_full_start} : 0u) |
                 (creation.shadow ? std::uint32_t{flag_shadow} : 0u);
    head.limits_in_use = limits;
    head.cells_in_use = limits;
    for (std::uint16_t i = 0; i < limits; ++i) {
        const bool same = i < 64 && (creation.same_rules >> i & 1) != 0;
        state.cell_storage[i] = cold_cell(head, rules.current[i], i, none, same);
    }
}

Instant opens_at(const State& state, const Rules& rules, std::uint16_t index) noexcept {
    const Cell& cell = state.cell_storage[index];
    const Rule& rule = rules.of(cell);
    if (rule.is_fixed()) return cell.opens_at;
    const Instant first =
        cell.lane[0].full_at + rule.lane[0].bucket.time(1) - rule.lane[0].bucket.tolerance;
    return std::max(cell.opens_at, first);
}

Change classify(const State& state, const Rules& rules, std::uint16_t limit, const Rule& changed,
                Instant now, Instant& until) noexcept {
    const Rule& current = rules.current[limit];
    if (is_stricter(current, changed)) return Change::stricter;
    until = 0;
    for (const Cell& cell : state.cells()) {
        if (cell.in_use != 1 || cell.limit != limit || cell.previous == none) continue;
        until = std::max(until, state.cell_storage[cell.previous].expires_at);
    }
    return until > now ? Change::refused : Change::beside;
}

bool change_limit(State& state, const Rules& rules, std::uint16_t limit, const Rule& changed,
                  Instant now) noexcept {
    now = advance_clock(state, now);
    begin_replan(state, rules, now);
    const Rule& current = rules.current[limit];
    Instant until = 0;
    const Change change = classify(state, rules, limit, changed, now, until);
    const Instant expires =
        add(now, std::max(current.window + current.slack, changed.window + changed.slack));
    const std::size_t before = state.head->cells_in_use;
    for (std::size_t i = 0; i < before; ++i) {
        if (state.cell_storage[i].in_use != 1 || state.cell_storage[i].limit != limit) continue;
        if (change == Change::stricter) {
            Cell& cell = state.cell_storage[i];
            const Instant from = std::max({now, cell.opens_at, paused_until(state, cell)});
            if (!current.is_fixed()) convert_debt(current, changed, cell, from);
            continue;
        }
        const std::uint16_t predecessor = free_cell(state);
        if (predecessor == none) return false;
        Cell& cell = state.cell_storage[i];
        Cell& old_cell = state.cell_storage[predecessor];
        const std::uint32_t generation = old_cell.generation + 1;
        old_cell = cell;
        old_cell.in_use = 2;
        old_cell.previous = none;
        old_cell.expires_at = expires;
        old_cell.generation = generation;
        cell = beside(*state.head, current, changed, cell, now);
        cell.previous = predecessor;
        const Instant paused = paused_until(state, cell);
        if (paused > now) cool(*state.head, changed, cell, paused);
    }
    return true;
}

bool add_limit(State& state, const Rule& rule, Instant now) noexcept {
    now = advance_clock(state, now);
    StateHead& head = *state.head;
    const std::uint16_t limit = head.limits_in_use;
    // Cells of the first `limits_in_use` indices are the limits' own: what stands there moves away.
    if (limit < head.cells_in_use && state.cell_storage[limit].in_use != 0) {
        const std::uint16_t elsewhere = free_cell(state);
        if (elsewhere == none) return false;
        state.cell_storage[elsewhere] = state.cell_storage[limit];
        ++state.cell_storage[elsewhere].generation;
        for (Cell& cell : state.cells()) {
            if (cell.previous == limit) cell.previous = elsewhere;
        }
        for (Entry& entry : state.entries()) {
            for (std::size_t c = 0; c < entry.charges; ++c) {
                if ((entry.cell[c] & cell_index_mask) != limit) continue;
                entry.cell[c] =
                    static_cast<std::uint16_t>((entry.cell[c] & cell_critical_bit) | elsewhere);
            }
        }
    }
    const std::uint32_t generation = state.cell_storage[limit].generation + 1;
    StateHead cold = head;
    cold.cold_until = now;
    cold.flags &= ~std::uint32_t{flag_full_start};
    state.cell_storage[limit] = cold_cell(cold, rule, limit, none, true);
    state.cell_storage[limit].generation = generation;
    const Instant paused = paused_until(head);
    if (paused > now) cool(head, rule, state.cell_storage[limit], paused);
    ++head.limits_in_use;
    head.cells_in_use = std::max(head.cells_in_use, head.limits_in_use);
    return true;
}

bool observe_used(State& state, const Rules& rules, Workspace& workspace, std::uint16_t index,
                  std::uint64_t used, Instant at, Instant now) noexcept {
    now = advance_clock(state, now);
    settle(state, rules, now);
    Cell& cell = state.cell_storage[index];
    const Rule& rule = rules.of(cell);
    if (!rule.is_fixed()) return false;
    const Instant window = window_start(now + state.head->utc_offset, rule.window);
    if (window_start(at + state.head->utc_offset, rule.window) != window) return false;
    std::uint64_t ours = 0;
    for (std::size_t l = 0; l < (rule.has_reserve ? lanes : 1); ++l) {
        ours += spent_in(rule, cell, l, window);
    }
    const bool guessed = cell.outside_utc != window;
    const std::uint64_t charged = guessed && cell.outside_utc + rule.window != window
                                      ? 0
                                      : std::min<std::uint64_t>(cell.outside, ours);
    ours -= charged;
    for (const Entry& entry : state.entries()) {
        if ((entry.flags & entry_confirmed) == 0) continue;
        if (window_start(entry.at + state.head->utc_offset, rule.window) != window) continue;
        for (std::size_t c = 0; c < entry.charges; ++c) {
            if ((entry.cell[c] & cell_index_mask) == index) ours += entry.units[c];
        }
    }
    const std::uint64_t seen = std::min<std::uint64_t>(used > ours ? used - ours : 0, rule.quota);
    if (!guessed && seen <= cell.outside) return false;
    if (guessed && seen == 0 && charged == 0) {
        cell.outside = 0;
        cell.outside_utc = window;
        return false;
    }
    charge_outside(state, rules, index, 0, now);  // makes `window` the running one
    for (std::size_t l = 0; l < lanes && guessed; ++l) {
        LaneState& s = cell.lane[l];
        const std::uint64_t normal = std::min<std::uint64_t>(charged, rule.lane[0].quota);
        const std::uint64_t part = l == 0 ? normal : charged - normal;
        s.used -= static_cast<std::uint32_t>(std::min<std::uint64_t>(s.used, part));
    }
    const std::uint64_t more = guessed ? seen : seen - cell.outside;
    charge_outside(state, rules, index, static_cast<std::uint32_t>(more), now);
    cell.outside = static_cast<std::uint32_t>(seen);
    cell.outside_utc = window;
    check_plan(state, rules, workspace);
    return true;
}

bool observe_remaining(State& state, const Rules& rules, Workspace& workspace, std::uint16_t index,
                       std::uint64_t remaining, Instant now) noexcept {
    now = advance_clock(state, now);
    settle(state, rules, now);
    Cell& cell = state.cell_storage[index];
    const Rule& rule = rules.of(cell);
    if (rule.is_fixed()) return false;
    // What the critical lane may take at once is left to it.
    const Bucket& critical = rule.lane[1].bucket;
    const std::int64_t cut = rule.kind == LimitKind::bucket ? rule.slack : 0;
    const std::uint64_t kept =
        rule.has_reserve ? time_to_units(critical.tolerance + cut, critical.period, critical.quota)
                         : 0;
    std::uint64_t moved = 0;
    for (std::size_t l = 0; l < (rule.has_reserve ? lanes : 1); ++l) {
        const Bucket& bucket = rule.lane[l].bucket;
        const std::uint64_t left = l == 1 ? remaining : (remaining > kept ? remaining - kept : 0);
        // At most `left` units at once from now on; the tolerance of a bucket has its slack taken
        // off already, for a reply is that old at most.
        const Instant full_at = now + bucket.tolerance - bucket.time(left);
        LaneState& s = cell.lane[l];
        const Instant owed_from = std::max(s.full_at, now);
        if (full_at <= owed_from) continue;
        moved += time_to_units(full_at - owed_from, bucket.period, bucket.quota);
        s.full_at = full_at + 1;  // pays for rounding time(left)
    }
    if (moved == 0) return false;
    cell.outside = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::uint64_t{cell.outside} + moved, 0xffff'ffffu));
    check_plan(state, rules, workspace);
    return true;
}

}  // namespace ratecoord::core
