// SPDX-License-Identifier: Apache-2.0
#include "core/search.hpp"

namespace ratecoord::core {
namespace {

constexpr std::size_t gates_max = max_charges * lanes * 4;
// A gate moves the instant to a place where it fits itself; windows are at most two pushes apart
// because only the windows of the gap's two ends hold units. The bound only stops absurd states.
constexpr int rounds_max = 64;

}  // namespace

Search::Search(const Capacity& capacity)
    : gates_(gates_max),
      ways_(max_charges * lanes),
      way_of_(std::size_t{capacity.cells()} * lanes, std::int8_t{-1}),
      marks_((std::size_t{capacity.reservations} + 1) * gates_max),
      live_(capacity.reservations) {}

inline std::int64_t Search::time_of(Gate& gate, std::uint32_t units) noexcept {
    if (units != gate.memo_units) {
        gate.memo_units = units;
        gate.memo_time = gate.lane_rule->bucket.time(units);
    }
    return gate.memo_time;
}

inline Instant Search::window_of(const Gate& gate, Instant at) const noexcept {
    const Instant utc = at + utc_offset_;
    if (utc >= gate.window_utc && utc - gate.window_utc < gate.rule->window) {
        return gate.window_utc;
    }
    return window_start(utc, gate.rule->window);
}

inline bool Search::binds(const Gate& gate, Instant at) const noexcept {
    if (at >= gate.cell->expires_at) return false;
    return gate.kind != GateKind::pace || is_paced(*gate.rule, *gate.cell, at);
}

inline std::int64_t Search::tolerance(const Gate& gate, Instant at,
                                      std::int64_t time) const noexcept {
    if (gate.kind == GateKind::bucket) return gate.lane_rule->bucket.tolerance;
    return pace_tolerance(*gate.lane_rule, at < gate.cell->paced_until, time);
}

std::uint8_t Search::gate_of(const State& state, const Rules& rules, GateKind kind,
                             std::uint16_t cell_index, std::size_t lane,
                             std::uint32_t units) noexcept {
    for (std::size_t g = 0; g < gate_count_; ++g) {
        const Gate& gate = gates_[g];
        if (gate.cell_index == cell_index && gate.lane == lane && gate.kind == kind) {
            return static_cast<std::uint8_t>(g);
        }
    }
    Gate& gate = gates_[gate_count_];
    gate.kind = kind;
    gate.lane = static_cast<std::uint8_t>(lane);
    gate.cell_index = cell_index;
    gate.cell = &state.cell_storage[cell_index];
    gate.rule = &rules.of(*gate.cell);
    gate.lane_rule = &gate.rule->lane[lane];
    gate.own_units = units;
    gate.own_time = kind == GateKind::window ? 0 : gate.lane_rule->bucket.time(units);
    gate.memo_units = units;
    gate.memo_time = gate.own_time;
    const LaneState& s = gate.cell->lane[lane];
    gate.full_at = s.full_at;
    gate.window_utc = s.window_utc;
    gate.used = s.used;
    return static_cast<std::uint8_t>(gate_count_++);
}

void Search::add_gates(const State& state, const Rules& rules, Way& way, std::uint16_t cell_index,
                       std::size_t lane, std::uint32_t units) noexcept {
    const Cell& cell = state.cell_storage[cell_index];
    const Rule& rule = rules.of(cell);
    const std::size_t effective = rule.effective(lane);
    const auto add_one = [&](GateKind kind) {
        way.gate[way.gates++] = gate_of(state, rules, kind, cell_index, effective, units);
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
        for (std::size_t l = 0; l < lanes; ++l) {
            Way& way = ways_[i * lanes + l];
            way.gates = 0;
            way.allowed = false;
            if (l == 1 && !rule.has_reserve) {
                way_of_[charge.cell * lanes + 1] = static_cast<std::int8_t>(i * lanes);
                continue;
            }
            way_of_[charge.cell * lanes + l] = static_cast<std::int8_t>(i * lanes + l);
            way.allowed = (l == 0 || ask.lane == Lane::critical) &&
                          charge.units <= rule.lane[l].largest;
            add_gates(state, rules, way, charge.cell, l, charge.units);
            if (cell.previous != none) {
                add_gates(state, rules, way, cell.previous, l, charge.units);
            }
        }
    }
}

void Search::release() noexcept {
    for (std::size_t g = 0; g < gate_count_; ++g) {
        const std::size_t at = std::size_t{gates_[g].cell_index} * lanes;
        way_of_[at] = way_of_[at + 1] = -1;
    }
}

template <class Use>
inline void Search::each_hit(const Entry& entry, Use&& use) noexcept {
    for (std::size_t c = 0; c < entry.charges; ++c) {
        const std::size_t cell = entry.cell[c] & cell_index_mask;
        const std::size_t lane = (entry.cell[c] & cell_critical_bit) != 0 ? 1 : 0;
        const std::int8_t way_index = way_of_[cell * lanes + lane];
        if (way_index < 0) continue;
        const Way& way = ways_[static_cast<std::size_t>(way_index)];
        for (std::size_t k = 0; k < way.gates; ++k) {
            use(static_cast<std::size_t>(way.gate[k]), entry.units[c]);
        }
    }
}

std::size_t Search::list_live(const State& state, std::uint64_t without) noexcept {
    std::size_t live = 0;
    const auto entries = state.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if ((entries[i].flags & entry_pending) != 0 || entries[i].id == without) continue;
        live_[live++] = static_cast<std::uint16_t>(i);
    }
    return live;
}

/// Draws an entry from the gates as of its instant; true if it touched one.
bool Search::replay(const Entry& entry) noexcept {
    bool touched = false;
    each_hit(entry, [&](std::size_t g, std::uint32_t units) {
        touched = true;
        Gate& gate = gates_[g];
        if (!binds(gate, entry.at)) return;
        if (gate.kind == GateKind::window) {
            const Instant window = window_of(gate, entry.at);
            if (window > gate.window_utc) {
                gate.used = spent_in(*gate.rule, *gate.cell, gate.lane, window);
                gate.window_utc = window;
            }
            if (window == gate.window_utc) gate.used += units;
        } else {
            gate.full_at = add(std::max(gate.full_at, entry.at), time_of(gate, units));
        }
    });
    return touched;
}

void Search::mark_suffixes(const State& state, std::size_t first, std::size_t live) noexcept {
    const std::size_t width = gate_count_;
    Mark* row = &marks_[(live - first) * width];
    for (std::size_t g = 0; g < width; ++g) row[g] = Mark{gates_[g].kind == GateKind::window ? 0 : far, -far};
    for (std::size_t i = live; i-- > first;) {
        const Entry& entry = state.entry_storage[live_[i]];
        Mark* next = row;
        row -= width;
        for (std::size_t g = 0; g < width; ++g) row[g] = next[g];
        each_hit(entry, [&](std::size_t g, std::uint32_t units) {
            Gate& gate = gates_[g];
            Mark& mark = row[g];
            if (!binds(gate, entry.at)) return;
            if (gate.kind == GateKind::window) {
                const Instant utc = entry.at + utc_offset_;
                const bool same = utc >= mark.window_utc && utc - mark.window_utc < gate.rule->window;
                if (!same) mark = Mark{0, window_of(gate, entry.at)};
                mark.bound += units;
            } else {
                const std::int64_t time = time_of(gate, units);
                mark.bound = add(
                    std::min(entry.at + tolerance(gate, entry.at, time), mark.bound), -time);
            }
        });
    }
}

Instant Search::fit_bucket(const Gate& gate, const Mark& mark, Instant at) noexcept {
    for (int round = 0; round < 3; ++round) {
        if (!binds(gate, at)) return at;
        const std::int64_t allowed = tolerance(gate, at, gate.own_time);
        const Instant next = gate.full_at + gate.own_time;
        const Instant earliest = std::max(at, next - allowed);
        // After a pause the tolerance of a fixed limit is that of burst 1 until paced_until, and
        // larger or none behind it.
        if (gate.kind == GateKind::pace && at < gate.cell->paced_until &&
            earliest >= gate.cell->paced_until) {
            at = gate.cell->paced_until;
            continue;
        }
        // What is too large for a predecessor waits until that counts no more.
        const Instant ends = gate.cell->expires_at;
        if (gate.own_time > allowed || earliest >= ends) return ends;
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
        total += window == gate.window_utc
                     ? gate.used
                     : spent_in(rule, *gate.cell, gate.lane, window);
        if (window == mark.window_utc) total += static_cast<std::uint64_t>(mark.bound);
        if (total <= gate.lane_rule->quota) return std::min(std::max(at, start), ends);
    }
    return ends;
}

Instant Search::fit_gate(Gate& gate, const Mark& mark, Instant at) noexcept {
    // A predecessor binds nobody once it has ended, whenever it would have opened.
    at = std::max(at, std::min(gate.cell->opens_at, gate.cell->expires_at));
    if (!binds(gate, at)) return at;
    return gate.kind == GateKind::window ? fit_window(gate, mark, at) : fit_bucket(gate, mark, at);
}

Instant Search::fit_way(const Way& way, const Mark* marks, Instant at, Instant high) noexcept {
    for (int round = 0; round < rounds_max; ++round) {
        const Instant before = at;
        for (std::size_t k = 0; k < way.gates; ++k) {
            at = fit_gate(gates_[way.gate[k]], marks[way.gate[k]], at);
            if (at > high) return far;
        }
        if (at == before) return at;
    }
    return far;
}

/// Earliest instant in [low, high] at which every charge has a way; far if there is none.
Instant Search::fit_gap(std::size_t index, Instant low, Instant high,
                        std::size_t charges) noexcept {
    const Mark* marks = &marks_[index * gate_count_];
    Instant at = low;
    for (int round = 0; round < rounds_max; ++round) {
        const Instant before = at;
        for (std::size_t i = 0; i < charges; ++i) {
            Instant best = far;
            for (std::size_t l = 0; l < lanes; ++l) {
                const Way& way = ways_[i * lanes + l];
                if (way.allowed) best = std::min(best, fit_way(way, marks, at, high));
            }
            if (best > high) return far;
            at = best;
        }
        if (at == before) return at;
    }
    return far;
}

Found Search::complete(const Ask& ask, Instant at, std::size_t index,
                       bool first_in_line) noexcept {
    Found found;
    found.at = at;
    found.first_in_line = first_in_line;
    const Mark* marks = &marks_[index * gate_count_];
    for (std::size_t i = 0; i < ask.count; ++i) {
        const Way& critical = ways_[i * lanes + 1];
        const bool take_critical = critical.allowed && fit_way(critical, marks, at, at) == at;
        if (take_critical) found.critical_mask = static_cast<std::uint8_t>(found.critical_mask | (1u << i));
        const Way& way = take_critical ? critical : ways_[i * lanes];
        for (std::size_t k = 0; k < way.gates; ++k) {
            const Gate& gate = gates_[way.gate[k]];
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
                       std::uint64_t without) noexcept {
    prepare(state, rules, ask);
    const std::size_t live = list_live(state, without);
    std::size_t first = 0;
    bool touched = false;
    while (first < live && state.entry_storage[live_[first]].at <= from) {
        touched = replay(state.entry_storage[live_[first++]]) || touched;
    }
    mark_suffixes(state, first, live);
    Found found;
    Instant low = from;
    for (std::size_t i = first; i <= live; ++i) {
        const Instant high = i < live ? state.entry_storage[live_[i]].at : far - 1;
        const Instant at = fit_gap(i - first, low, high, ask.count);
        if (at <= high) {
            found = complete(ask, at, i - first, !touched);
            break;
        }
        if (i == live) break;
        low = high;
        touched = replay(state.entry_storage[live_[i]]) || touched;
    }
    release();
    return found;
}

}  // namespace ratecoord::core
