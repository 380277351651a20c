// SPDX-License-Identifier: Apache-2.0
//
// The passes over the calendar: one column for each gate, one row for each entry that touches any.
#include "core/search.hpp"

namespace ratecoord::core {

/// Notes what the entry of the row under way takes from each gate of a way.
inline void Search::enter_draws(const Way& way, std::uint32_t units, Instant at) noexcept {
    for (std::size_t k = 0; k < way.gates; ++k) {
        Gate& gate = gates_[way.gate[k]];
        if (!binds(gate, at)) continue;
        draws_[way.gate[k] * stride_ + rows_] =
            gate.kind == GateKind::window ? std::int64_t{units} : time_of(gate, units);
    }
}

void Search::list_rows(const State& state, std::uint64_t without) noexcept {
    const auto entries = state.entries();
    for (std::size_t g = 0; g < gate_count_; ++g) {
        std::fill_n(&draws_[g * stride_], entries.size(), nothing);
    }
    rows_ = 0;
    for (const Entry& entry : entries) {
        if ((entry.flags & entry_pending) != 0 || entry.id == without) continue;
        bool touches = false;
        for (std::size_t c = 0; c < entry.charges; ++c) {
            const std::size_t cell = entry.cell[c] & cell_index_mask;
            const std::size_t lane = (entry.cell[c] & cell_critical_bit) != 0 ? 1 : 0;
            const std::int8_t way = way_of_[cell * lanes + lane];
            if (way < 0) continue;
            touches = true;
            enter_draws(ways_[static_cast<std::size_t>(way)], entry.units[c], entry.at);
        }
        at_[rows_] = entry.at;
        if (touches) ++rows_;
    }
}

inline void Search::replay_window(Gate& gate, Instant at, std::int64_t units) const noexcept {
    const Instant window = window_of(gate, at);
    if (window > gate.window_utc) {
        gate.used = spent_in(*gate.rule, *gate.cell, gate.lane, window);
        gate.window_utc = window;
    }
    if (window == gate.window_utc) gate.used += static_cast<std::uint64_t>(units);
}

/// Draws the rows from `first` to before `last` from every gate, each at its instant.
void Search::catch_up(std::size_t first, std::size_t last) noexcept {
    for (std::size_t g = 0; g < gate_count_; ++g) {
        Gate& gate = gates_[g];
        const std::int64_t* draws = &draws_[g * stride_];
        if (gate.kind == GateKind::window) {
            for (std::size_t row = first; row < last; ++row) {
                if (draws[row] != nothing) replay_window(gate, at_[row], draws[row]);
            }
            continue;
        }
        Instant full_at = gate.full_at;
        for (std::size_t row = first; row < last; ++row) {
            if (draws[row] != nothing) full_at = add(std::max(full_at, at_[row]), draws[row]);
        }
        gate.full_at = full_at;
    }
}

/// Marks of one gate, from the end back to `first`. `take` draws one entry from a mark.
template <class Take>
inline void Search::mark_gate(std::size_t g, std::size_t first, Mark mark, Take&& take) noexcept {
    const std::int64_t* draws = &draws_[g * stride_];
    Mark* marks = &marks_[g * stride_];
    marks[rows_] = mark;
    for (std::size_t row = rows_; row-- > first;) {
        if (draws[row] != nothing) take(mark, at_[row], draws[row]);
        marks[row] = mark;
    }
}

void Search::mark_suffixes(std::size_t first) noexcept {
    for (std::size_t g = 0; g < gate_count_; ++g) {
        const Gate& gate = gates_[g];
        if (gate.kind == GateKind::window) {
            mark_gate(g, first, {0, -far}, [&](Mark& mark, Instant at, std::int64_t units) {
                const Instant into = at + utc_offset_ - mark.window_utc;
                if (into < 0 || into >= gate.rule->window) mark = {0, window_of(gate, at)};
                mark.bound += units;
            });
            continue;
        }
        const auto fill = [&](auto&& allowed) {
            mark_gate(g, first, {far, -far}, [&](Mark& mark, Instant at, std::int64_t time) {
                mark.bound = add(std::min(at + allowed(at, time), mark.bound), -time);
            });
        };
        if (gate.kind == GateKind::bucket) {
            fill([all = gate.lane_rule->bucket.tolerance](Instant, std::int64_t) { return all; });
        } else {
            fill([&](Instant at, std::int64_t time) { return tolerance(gate, at, time); });
        }
    }
}

/// Sees at a glance which gaps from the one before `first` on cannot hold the request, so that
/// fit_gap() need not look there: a gate that cannot bear it at the gap's beginning cannot do so
/// later in the same gap. Needs the gates as of the gap before; leaves them so.
void Search::rule_out(std::size_t first, std::size_t charges) noexcept {
    for (std::size_t row = first; row <= rows_; ++row) open_[row] = 1;
    for (std::size_t i = 0; i < charges; ++i) {
        const Way& normal = ways_[i * lanes];
        const Way& critical = ways_[i * lanes + 1];
        if (normal.allowed == critical.allowed) continue;  // what one rules out the other may not
        const Way& way = normal.allowed ? normal : critical;
        for (std::size_t k = 0; k < way.gates; ++k) {
            const Gate& gate = gates_[way.gate[k]];
            if (gate.kind == GateKind::window) {
                rule_out_window(way.gate[k], first);
            } else if (gate.kind == GateKind::bucket || gate.rule->spread) {
                rule_out_bucket(way.gate[k], first);
            }
        }
    }
}

void Search::rule_out_bucket(std::size_t g, std::size_t first) noexcept {
    const Gate& gate = gates_[g];
    const std::int64_t* draws = &draws_[g * stride_];
    const Mark* marks = &marks_[g * stride_];
    const std::int64_t own = gate.own_time;
    // The most that a pace ever allows.
    const std::int64_t allowed = gate.kind == GateKind::bucket
                                     ? gate.lane_rule->bucket.tolerance
                                     : std::max(pace_tolerance(*gate.lane_rule, true, own),
                                                pace_tolerance(*gate.lane_rule, false, own));
    Instant full_at = gate.full_at;
    for (std::size_t row = first; row < rows_; ++row) {
        const Instant low = at_[row - 1];
        if (draws[row - 1] != nothing) full_at = add(std::max(full_at, low), draws[row - 1]);
        const Instant earliest = std::max(low, full_at + own - allowed);
        const bool fits = earliest <= at_[row] && std::max(full_at, earliest) + own <= marks[row].bound;
        if (!fits && at_[row] < gate.expires_at) open_[row] = 0;
    }
}

void Search::rule_out_window(std::size_t g, std::size_t first) noexcept {
    Gate gate = gates_[g];
    const std::int64_t* draws = &draws_[g * stride_];
    for (std::size_t row = first; row < rows_; ++row) {
        const Instant low = at_[row - 1];
        if (draws[row - 1] != nothing) replay_window(gate, low, draws[row - 1]);
        const Instant window = window_of(gate, low);
        const bool whole = at_[row] + utc_offset_ - window < gate.rule->window;
        if (!whole || window < gate.window_utc || at_[row] >= gate.expires_at) continue;
        std::uint64_t total = gate.own_units;
        total += window == gate.window_utc ? gate.used
                                           : spent_in(*gate.rule, *gate.cell, gate.lane, window);
        const Mark& mark = mark_of(g, row);
        if (window == mark.window_utc) total += static_cast<std::uint64_t>(mark.bound);
        if (total > gate.lane_rule->quota) open_[row] = 0;
    }
}

}  // namespace ratecoord::core
