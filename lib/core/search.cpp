// SPDX-License-Identifier: Apache-2.0
#include "core/search.hpp"

namespace ratecoord::core {
namespace {

// A gate moves the instant to a place where it fits itself, and the next gate may move it on. Where
// the open parts of two windows are narrow and seldom meet, that takes many rounds; the sum over
// all gaps is bounded so that a search never takes more than linear time.
constexpr std::size_t rounds_per_gap = 128;
constexpr std::size_t rounds_spare = 4096;

}  // namespace

Search::Search(const Capacity& capacity)
    : gates_(gates_max),
      ways_(max_charges * lanes),
      touched_(std::size_t{capacity.cells()} * lanes),
      // Columns of a power of two would share their cache sets.
      stride_((std::size_t{capacity.reservations} + 1) | 8),
      at_(capacity.reservations),
      draws_(gates_max * stride_),
      marks_(2 * gates_max * stride_),
      open_(std::size_t{capacity.reservations} + 1) {}

void Search::add_gate(const State& state, const Rules& rules, GateKind kind,
                      std::uint16_t cell_index, std::size_t lane, std::uint32_t units) noexcept {
    Gate& gate = gates_[gate_count_];
    gate.kind = kind;
    gate.lane = static_cast<std::uint8_t>(lane);
    gate.marked = false;
    gate.row = 0;
    gate.cell_index = cell_index;
    gate.cell = &state.cell_storage[cell_index];
    gate.rule = &rules.of(*gate.cell);
    gate.lane_rule = &gate.rule->lane[lane];
    gate.draws = &draws_[gate_count_ * stride_];
    gate.bounds = &marks_[gate_count_ * stride_];
    gate.binds_until = gate.cell->expires_at;
    if (kind == GateKind::pace && !gate.rule->spread) {
        gate.binds_until = std::min(gate.binds_until, gate.cell->paced_until);
    }
    gate.own_units = units;
    gate.own_time = kind == GateKind::window ? 0 : gate.lane_rule->bucket.time(units);
    gate.memo_units = units;
    gate.memo_draw = kind == GateKind::window ? std::int64_t{units} : gate.own_time;
    const LaneState& s = gate.cell->lane[lane];
    gate.full_at = gate.full_at_end = s.full_at;
    gate.window_utc = s.window_utc;
    gate.used = s.used;
    ++gate_count_;
}

void Search::add_gates(const State& state, const Rules& rules, Way& way, std::uint16_t cell_index,
                       std::size_t lane, std::uint32_t units) noexcept {
    const Cell& cell = state.cell_storage[cell_index];
    const Rule& rule = rules.of(cell);
    const std::size_t effective = rule.effective(lane);
    const auto add_one = [&](GateKind kind) {
        add_gate(state, rules, kind, cell_index, effective, units);
        ++way.gates;
    };
    if (!rule.is_fixed()) return add_one(GateKind::bucket);
    add_one(GateKind::window);
    if (rule.spread || cell.paced_until > 0) add_one(GateKind::pace);
}

void Search::prepare(const State& state, const Rules& rules, const Ask& ask) noexcept {
    gate_count_ = 0;
    utc_offset_ = state.head->utc_offset;
    for (std::size_t i = 0; i < ask.count; ++i) {
        const Ask::Charge& charge = ask.charges[i];
        const Cell& cell = state.cell_storage[charge.cell];
        const Rule& rule = rules.of(cell);
        // Gates of a predecessor without lanes are those of both ways: they stand between the gates
        // that are the normal lane's alone and those that are the critical one's.
        std::size_t shared = 0;
        for (std::size_t l = 0; l < lanes; ++l) {
            Way& way = ways_[i * lanes + l];
            const std::size_t both = l == 1 ? shared : 0;
            way = Way{static_cast<std::uint8_t>(gate_count_ - both),
                      static_cast<std::uint8_t>(both), false};
            if (l == 1 && !rule.has_reserve) {
                touched_[charge.cell * lanes + 1] = touched_[charge.cell * lanes];
                continue;
            }
            way.allowed =
                (l == 0 || ask.lane == Lane::critical) && charge.units <= rule.lane[l].largest;
            add_gates(state, rules, way, charge.cell, l, charge.units);
            if (cell.previous != none && both == 0) {
                const std::size_t before = gate_count_;
                add_gates(state, rules, way, cell.previous, l, charge.units);
                const bool split = rules.of(state.cell_storage[cell.previous]).has_reserve;
                shared = split ? 0 : gate_count_ - before;
            }
            // As a list the shared gates are the tail of both.
            touched_[charge.cell * lanes + l] = &gates_[way.first + both];
            for (std::size_t g = way.first + both; g < gate_count_; ++g) {
                gates_[g].next = g + 1 < gate_count_ ? &gates_[g + 1]
                                 : both > 0          ? &gates_[way.first]
                                                     : nullptr;
            }
        }
    }
}

void Search::release() noexcept {
    for (std::size_t g = 0; g < gate_count_; ++g) {
        const std::size_t at = std::size_t{gates_[g].cell_index} * lanes;
        touched_[at] = touched_[at + 1] = nullptr;
    }
}

Instant Search::fit_bucket(const Gate& gate, const Mark& mark, Instant at) noexcept {
    for (int round = 0; round < 3; ++round) {
        if (at >= gate.binds_until) return at;
        const std::int64_t allowed = tolerance(gate, at, gate.own_time);
        const Instant next = gate.full_at + gate.own_time;
        const Instant earliest = std::max(at, next - allowed);
        // Where this holds no more: a predecessor ends, and what is too large for it waits until
        // then; the burst of 1 after a pause gives way to a larger one, or to none.
        Instant holds_until = gate.cell->expires_at;
        if (gate.kind == GateKind::pace && at < gate.cell->paced_until) {
            holds_until = std::min(holds_until, gate.cell->paced_until);
        }
        if (gate.own_time > allowed || earliest >= holds_until) {
            at = holds_until;
            continue;
        }
        return std::max(gate.full_at, earliest) + gate.own_time <= mark.bound ? earliest : far;
    }
    return far;
}

Instant Search::fit_window(const Gate& gate, const Mark& mark, Instant at) noexcept {
    const Rule& rule = *gate.rule;
    const Instant ends = gate.cell->expires_at;
    Instant window = std::max(window_of(gate, at), gate.window_utc);
    for (int round = 0; round < 5; ++round, window += rule.window) {
        const Instant start = window - utc_offset_ + rule.slack;
        const Instant end = window - utc_offset_ + rule.window - rule.slack;
        if (at >= end) continue;
        std::uint64_t total = gate.own_units;
        total +=
            window == gate.window_utc ? gate.used : spent_in(rule, *gate.cell, gate.lane, window);
        if (window == mark.window_utc) total += static_cast<std::uint64_t>(mark.bound);
        if (total <= gate.lane_rule->quota) return std::min(std::max(at, start), ends);
    }
    return ends;
}

Instant Search::fit_gate(Gate& gate, std::size_t row, Instant at) noexcept {
    if (gate.row < row) catch_up(gate, row);
    // A predecessor binds nobody once it has ended, whenever it would have opened.
    at = std::max(at, std::min(gate.cell->opens_at, gate.cell->expires_at));
    if (at >= gate.binds_until) return at;
    const Mark mark = mark_of(gate, row);
    return gate.kind == GateKind::window ? fit_window(gate, mark, at) : fit_bucket(gate, mark, at);
}

Instant Search::fit_way(const Way& way, std::size_t row, Instant at, Instant high) noexcept {
    while (rounds_left_ > 0) {
        --rounds_left_;
        const Instant before = at;
        for (std::size_t k = 0; k < way.gates; ++k) {
            at = fit_gate(gates_[way.first + k], row, at);
            if (at > high) return far;
        }
        if (at == before) return at;
    }
    return far;
}

/// Earliest instant in [low, high], the gap before `row`, at which every charge has a way; far if
/// there is none.
Instant Search::fit_gap(std::size_t row, Instant low, Instant high, std::size_t charges) noexcept {
    Instant at = low;
    while (rounds_left_ > 0) {
        const Instant before = at;
        for (std::size_t i = 0; i < charges; ++i) {
            Instant best = far;
            for (std::size_t l = 0; l < lanes; ++l) {
                const Way& way = ways_[i * lanes + l];
                if (way.allowed) best = std::min(best, fit_way(way, row, at, high));
            }
            if (best > high) return far;
            at = best;
        }
        if (at == before) return at;
    }
    return far;
}

Found Search::complete(const Ask& ask, Instant at, std::size_t row) noexcept {
    Found found;
    found.at = at;
    found.first_in_line = row == 0;
    for (std::size_t i = 0; i < ask.count; ++i) {
        const Way& critical = ways_[i * lanes + 1];
        const bool take_critical = critical.allowed && fit_way(critical, row, at, at) == at;
        if (take_critical)
            found.critical_mask = static_cast<std::uint8_t>(found.critical_mask | (1u << i));
        const Way& way = take_critical ? critical : ways_[i * lanes];
        for (std::size_t k = 0; k < way.gates; ++k) {
            const Gate& gate = gates_[way.first + k];
            const Rule& rule = *gate.rule;
            if (at >= gate.cell->expires_at) continue;
            if (gate.kind == GateKind::window) {
                const Instant end = window_of(gate, at) - utc_offset_ + rule.window;
                found.hand_out_until = std::min(found.hand_out_until, end - rule.slack);
                found.valid_until = std::min(found.valid_until, end - rule.slack / 2);
            } else if (gate.kind == GateKind::bucket) {
                found.hand_out_until = std::min(found.hand_out_until, at + rule.slack / 2);
                found.valid_until = std::min(found.valid_until, at + rule.slack);
            }
        }
    }
    return found;
}

Found Search::earliest(const State& state, const Rules& rules, const Ask& ask, Instant from,
                       std::uint64_t without, Instant latest) noexcept {
    prepare(state, rules, ask);
    list_rows(state, without);
    rounds_left_ = (rows_ + 1) * rounds_per_gap + rounds_spare;
    const auto row_after = [&](Instant t) {
        const auto end = at_.begin() + static_cast<std::ptrdiff_t>(rows_);
        return static_cast<std::size_t>(std::upper_bound(at_.begin(), end, t) - at_.begin());
    };
    latest_ = latest;
    first_ = row_after(from);
    last_ = row_after(latest);
    std::size_t row = first_;
    Instant at = fit_gap(row, from, high_of(row), ask.count);
    if (at > high_of(row)) rule_out(row + 1, ask.count);
    for (std::size_t next = row + 1; at > high_of(row) && next <= last_; ++next) {
        if (open_[next] == 0) continue;
        row = next;
        at = fit_gap(row, at_[row - 1], high_of(row), ask.count);
    }
    Found found;
    if (at <= high_of(row)) found = complete(ask, at, row);
    release();
    return found;
}

}  // namespace ratecoord::core
