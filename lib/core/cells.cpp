// SPDX-License-Identifier: Apache-2.0
#include "core/cells.hpp"

#include "core/pause.hpp"

namespace ratecoord::core {
namespace {

constexpr std::int64_t paced_most_ns = 60 * second_ns;

std::uint32_t sum(std::uint32_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t most = 0xffff'ffff;
    return static_cast<std::uint32_t>(std::min(most, a + b));
}

/// Makes `window` the one that lane.used counts. An older window never comes back.
void roll(const Rule& rule, Cell& cell, std::size_t lane, Instant window) noexcept {
    LaneState& s = cell.lane[lane];
    if (window <= s.window_utc) return;
    s.previous_used = window == s.window_utc + rule.window ? s.used : 0;
    s.used = spent_in(rule, cell, lane, window);
    s.window_utc = window;
}

void charge_one(const StateHead& head, const Rule& rule, Cell& cell, std::size_t lane,
                std::uint32_t units, Instant at) noexcept {
    LaneState& s = cell.lane[lane];
    const Bucket& bucket = rule.lane[lane].bucket;
    if (!rule.is_fixed()) {
        s.full_at = add(std::max(s.full_at, at), bucket.time(units));
        return;
    }
    const Instant window = window_start(at + head.utc_offset, rule.window);
    roll(rule, cell, lane, window);
    if (window == s.window_utc) {
        s.used = sum(s.used, units);
    } else if (window == s.window_utc - rule.window) {
        s.previous_used = sum(s.previous_used, units);
    }
    if (is_paced(rule, cell, at)) s.full_at = add(std::max(s.full_at, at), bucket.time(units));
}

std::uint16_t find_key(const State& state, std::uint64_t high, std::uint64_t low) noexcept {
    const auto keys = state.keys();
    for (std::uint16_t i = 0; i < keys.size(); ++i) {
        if (keys[i].in_use != 0 && keys[i].hash_high == high && keys[i].hash_low == low) return i;
    }
    return none;
}

bool is_idle(const State& state, const Rules& rules, std::uint16_t key, Instant now) noexcept {
    if (state.keys()[key].pause_until > now) return false;
    const auto cells = state.cells();
    for (std::uint16_t i = 0; i < cells.size(); ++i) {
        const Cell& cell = cells[i];
        if (cell.in_use == 0 || cell.key != key) continue;
        if (cell.in_use == 2 || cell.previous != none || cell.opens_at > now) return false;
        const Rule& rule = rules.of(cell);
        for (std::size_t l = 0; l < lanes; ++l) {
            if (cell.lane[l].full_at > now) return false;
            if (rule.is_fixed() && used_in_window(*state.head, rule, cell, l, now) > 0)
                return false;
        }
        for (const Entry& entry : state.entries()) {
            for (std::size_t c = 0; c < entry.charges; ++c) {
                if ((entry.cell[c] & cell_index_mask) == i) return false;
            }
        }
    }
    return true;
}

/// A key slot that may be used: a free one, a fresh one, or one whose owner left nothing behind.
std::uint16_t take_key(State& state, const Rules& rules, Instant now) noexcept {
    for (std::uint16_t i = 0; i < state.head->keys_in_use; ++i) {
        if (state.key_storage[i].in_use == 0) return i;
    }
    if (state.head->keys_in_use < state.key_storage.size()) {
        const std::uint16_t i = state.head->keys_in_use++;
        state.key_storage[i] = Key{};
        return i;
    }
    for (std::uint16_t i = 0; i < state.head->keys_in_use; ++i) {
        if (!is_idle(state, rules, i, now)) continue;
        for (Cell& cell : state.cells()) {
            if (cell.in_use != 0 && cell.key == i) cell.in_use = 0;
        }
        state.key_storage[i].in_use = 0;
        return i;
    }
    return none;
}

std::uint16_t take_cell(State& state) noexcept {
    const auto cells = state.cells();
    for (std::uint16_t i = state.head->limits_in_use; i < cells.size(); ++i) {
        if (cells[i].in_use == 0) return i;
    }
    if (state.head->cells_in_use == state.cell_storage.size()) return none;
    const std::uint16_t i = state.head->cells_in_use++;
    state.cell_storage[i] = Cell{};
    return i;
}

std::uint16_t keyed_cell(State& state, const Rules& rules, const Draw& draw, Instant now) noexcept {
    const std::uint16_t key = key_index(state, rules, draw.key_high, draw.key_low, now);
    if (key == none) return none;
    const auto cells = state.cells();
    for (std::uint16_t i = 0; i < cells.size(); ++i) {
        if (cells[i].in_use == 1 && cells[i].limit == draw.limit && cells[i].key == key) return i;
    }
    const std::uint16_t index = take_cell(state);
    if (index == none) return none;
    const std::uint32_t generation = state.cell_storage[index].generation + 1;
    state.cell_storage[index] =
        cold_cell(*state.head, rules.current[draw.limit], draw.limit, key, false);
    Cell& cell = state.cell_storage[index];
    cell.generation = generation;
    const Instant paused = paused_until(state, cell);
    if (paused > now) cool(*state.head, rules.current[draw.limit], cell, paused);
    return index;
}

}  // namespace

std::uint32_t spent_in(const Rule& rule, const Cell& cell, std::size_t lane,
                       Instant window_utc) noexcept {
    const LaneState& s = cell.lane[lane];
    if (window_utc == s.window_utc) return s.used;
    if (window_utc == s.window_utc - rule.window) return s.previous_used;
    // Outside use of the last window that a reply named is held back in the next one, once, so that
    // a stranger who goes on is not met with a full window of ours.
    if (cell.outside != 0 && window_utc == cell.outside_utc + rule.window) {
        const std::uint64_t normal = std::min<std::uint64_t>(cell.outside, rule.lane[0].quota);
        if (lane == 0) return static_cast<std::uint32_t>(normal);
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(cell.outside - normal, rule.lane[1].quota));
    }
    return 0;
}

std::uint16_t key_index(State& state, const Rules& rules, std::uint64_t high, std::uint64_t low,
                        Instant now) noexcept {
    std::uint16_t key = find_key(state, high, low);
    if (key != none) return key;
    key = take_key(state, rules, now);
    if (key == none) return none;
    Key& fresh = state.key_storage[key];
    fresh = Key{high, low, 0, fresh.generation + 1, 1};
    return key;
}

bool is_bound(const State& state, const Rule& rule, const Draw& draw) noexcept {
    if (draw.cell >= state.head->cells_in_use) return false;
    const Cell& cell = state.cell_storage[draw.cell];
    if (cell.in_use != 1 || cell.generation != draw.generation || cell.limit != draw.limit) {
        return false;
    }
    if (!rule.keyed) return draw.cell == draw.limit;
    if (cell.key == none) return false;
    const Key& key = state.key_storage[cell.key];
    return key.in_use != 0 && key.hash_high == draw.key_high && key.hash_low == draw.key_low;
}

Binding bind(State& state, const Rules& rules, Request& request, Instant now,
             std::size_t& which) noexcept {
    which = 0;
    if (request.count == 0 || request.count > max_charges) return Binding::unknown_limit;
    for (std::size_t i = 0; i < request.count; ++i) {
        Draw& draw = request.draws[i];
        which = i;
        if (draw.limit >= state.head->limits_in_use) return Binding::unknown_limit;
        const Rule& rule = rules.current[draw.limit];
        std::uint64_t largest = rule.lane[0].largest;
        if (request.lane == Lane::critical) largest = std::max(largest, rule.lane[1].largest);
        if (draw.units > largest) return Binding::too_large;
        if (is_bound(state, rule, draw)) continue;
        draw.cell = rule.keyed ? keyed_cell(state, rules, draw, now) : draw.limit;
        if (draw.cell == none) return Binding::keys_full;
        draw.generation = state.cell_storage[draw.cell].generation;
    }
    return Binding::bound;
}

Cell cold_cell(const StateHead& head, const Rule& rule, std::uint16_t limit, std::uint16_t key,
               bool same_rule) noexcept {
    Cell cell{};
    cell.limit = limit;
    cell.key = key;
    cell.previous = none;
    cell.in_use = 1;
    cell.expires_at = far;
    if ((head.flags & flag_full_start) != 0) return cell;
    // Longer windows start from what was saved, or unverified.
    if (rule.window > long_window_ns) return cell;
    const Instant cold = head.cold_until;
    if (rule.is_fixed()) {
        cell.opens_at =
            window_start(cold + head.utc_offset, rule.window) + rule.window - head.utc_offset;
    } else if (rule.kind == LimitKind::bucket || same_rule) {
        cell.opens_at = cold;
        for (std::size_t l = 0; l < lanes; ++l) {
            cell.lane[l].full_at = add(cold, rule.lane[l].bucket.tolerance);
        }
    } else {
        cell.opens_at = add(cold, rule.window + rule.slack);
    }
    return cell;
}

void cool(const StateHead& head, const Rule& rule, Cell& cell, Instant until) noexcept {
    if (!rule.is_fixed()) {
        for (std::size_t l = 0; l < lanes; ++l) {
            LaneState& s = cell.lane[l];
            s.full_at = std::max(s.full_at, add(until, rule.lane[l].bucket.tolerance));
        }
        return;
    }
    const Instant next =
        window_start(until + head.utc_offset, rule.window) + rule.window - head.utc_offset;
    cell.paced_until = std::max(cell.paced_until, std::min(next, add(until, paced_most_ns)));
}

Instant paused_until(const State& state, const Cell& cell) noexcept {
    const Instant all = paused_until(*state.head);
    return cell.key == none ? all : std::max(all, state.key_storage[cell.key].pause_until);
}

void charge(State& state, const Rules& rules, std::uint16_t index, std::size_t lane,
            std::uint32_t units, Instant at) noexcept {
    Cell& cell = state.cell_storage[index];
    const Rule& rule = rules.of(cell);
    charge_one(*state.head, rule, cell, rule.effective(lane), units, at);
    if (cell.previous == none) return;
    Cell& predecessor = state.cell_storage[cell.previous];
    const Rule& old_rule = rules.of(predecessor);
    charge_one(*state.head, old_rule, predecessor, old_rule.effective(lane), units, at);
}

bool refund(State& state, const Rules& rules, std::uint16_t index, std::size_t lane,
            std::uint32_t units, Instant at, Instant now) noexcept {
    Cell& cell = state.cell_storage[index];
    const Rule& rule = rules.of(cell);
    if (!rule.is_fixed()) return false;
    const Instant window = window_start(at + state.head->utc_offset, rule.window);
    LaneState& s = cell.lane[rule.effective(lane)];
    if (window != s.window_utc) return false;
    if (window_start(now + state.head->utc_offset, rule.window) != window) return false;
    s.used -= std::min(s.used, units);
    return true;
}

std::uint32_t used_in_window(const StateHead& head, const Rule& rule, const Cell& cell,
                             std::size_t lane, Instant now) noexcept {
    return spent_in(rule, cell, lane, window_start(now + head.utc_offset, rule.window));
}

std::uint64_t available(const StateHead& head, const Rule& rule, const Cell& cell, std::size_t lane,
                        Instant now) noexcept {
    if (now < cell.opens_at) return 0;
    const LaneRule& l = rule.lane[lane];
    if (rule.is_fixed()) {
        const std::uint64_t used = used_in_window(head, rule, cell, lane, now);
        return used >= l.quota ? 0 : l.quota - used;
    }
    const std::int64_t room =
        l.bucket.tolerance - std::max<std::int64_t>(0, cell.lane[lane].full_at - now);
    if (room <= 0) return 0;
    const auto units = static_cast<unsigned __int128>(static_cast<std::uint64_t>(room)) *
                       l.bucket.quota / static_cast<std::uint64_t>(l.bucket.period);
    return std::min(static_cast<std::uint64_t>(units), l.largest);
}

void charge_outside(State& state, const Rules& rules, std::uint16_t index, std::uint32_t units,
                    Instant now) noexcept {
    Cell& cell = state.cell_storage[index];
    const Rule& rule = rules.of(cell);
    const Instant window = window_start(now + state.head->utc_offset, rule.window);
    const std::size_t used_lanes = rule.has_reserve ? lanes : 1;
    for (std::size_t l = 0; l < used_lanes; ++l) roll(rule, cell, l, window);
    // A paced limit is paced with what others draw in it, or the quota would be gone before the
    // window is; never beyond the window, whose successor owes nothing to it.
    const Instant next = window + rule.window + rule.slack - state.head->utc_offset;
    for (std::size_t l = 0; l < used_lanes; ++l) {
        const std::uint64_t room = available(*state.head, rule, cell, l, now);
        const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(units, room));
        LaneState& lane = cell.lane[l];
        lane.used = sum(lane.used, part);
        if (is_paced(rule, cell, now) && part > 0) {
            const Instant full = add(std::max(lane.full_at, now), rule.lane[l].bucket.time(part));
            lane.full_at = std::max(lane.full_at, std::min(full, next));
        }
        units -= part;
    }
    cell.lane[0].used = sum(cell.lane[0].used, units);
}

}  // namespace ratecoord::core
