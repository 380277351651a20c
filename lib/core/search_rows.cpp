// SPDX-License-Identifier: Apache-2.0
//
// The passes over the calendar: one column for each gate, one row for each entry that touches any.
#include <bit>

#include "core/search.hpp"

namespace ratecoord::core {

// The passes keep what they need in local variables: their columns might be anything to a compiler.

void Search::list_rows(const State& state, std::uint64_t without) noexcept {
    const auto entries = state.entries();
    for (std::size_t g = 0; g < gate_count_; ++g) std::fill_n(gates_[g].draws, entries.size(), 0);
    Gate* const* const touched = touched_.data();
    std::size_t row = 0;
    for (const Entry& entry : entries) {
        if ((entry.flags & entry_pending) != 0 || entry.id == without) continue;
        const Instant at = entry.at;
        const std::size_t charges = entry.charges;
        bool touches = false;
        for (std::size_t c = 0; c < charges; ++c) {
            // The lane stands in the top bit, so this is cell x lanes + lane.
            for (Gate* gate = touched[std::rotl(entry.cell[c], 1)]; gate != nullptr;
                 gate = gate->next) {
                touches = true;
                if (at >= gate->binds_until) continue;
                const std::int64_t draw = draw_of(*gate, entry.units[c]);
                gate->draws[row] = draw;
                gate->full_at_end = std::min(std::max(gate->full_at_end, at) + draw, far);
            }
        }
        at_[row] = at;
        row += touches ? 1 : 0;
    }
    rows_ = row;
}

inline void Search::replay_window(Gate& gate, Instant at, std::int64_t units) const noexcept {
    const Instant window = window_of(gate, at);
    if (window > gate.window_utc) {
        gate.used = spent_in(*gate.rule, *gate.cell, gate.lane, window);
        gate.window_utc = window;
    }
    if (window == gate.window_utc) gate.used += static_cast<std::uint64_t>(units);
}

/// Draws the rows before `row` from the gate, each at its instant.
void Search::catch_up(Gate& gate, std::size_t row) noexcept {
    const std::int64_t* const draws = gate.draws;
    const std::size_t first = gate.row;
    gate.row = row;
    if (gate.kind == GateKind::window) {
        for (std::size_t i = first; i < row; ++i) {
            if (draws[i] > 0) replay_window(gate, at_[i], draws[i]);
        }
        return;
    }
    if (row == rows_) {
        gate.full_at = gate.full_at_end;
        return;
    }
    // A bucket that is full before an instant is as good as one that is full at it.
    const Instant* const at = at_.data();
    Instant full_at = gate.full_at;
    for (std::size_t i = first; i < row; ++i) {
        full_at = std::min(std::max(full_at, at[i]) + draws[i], far);
    }
    gate.full_at = full_at;
}

void Search::mark_window(const Gate& gate) noexcept {
    std::int64_t* const bounds = gate.bounds;
    Instant* const windows = gate.bounds + gates_max * stride_;
    Mark mark = end_mark(gate);
    for (std::size_t row = rows_; row-- > first_;) {
        if (gate.draws[row] > 0) {
            const Instant into = at_[row] + utc_offset_ - mark.window_utc;
            if (into < 0 || into >= gate.rule->window) mark = {0, window_of(gate, at_[row])};
            mark.bound += gate.draws[row];
        }
        bounds[row] = mark.bound;
        windows[row] = mark.window_utc;
    }
}

template <class Tolerance>
inline void Search::mark_bucket(const Gate& gate, Tolerance&& tolerance) noexcept {
    const std::int64_t* const draws = gate.draws;
    const Instant* const at = at_.data();
    std::int64_t* const bounds = gate.bounds;
    const std::size_t first = first_;
    std::int64_t bound = end_mark(gate).bound;
    for (std::size_t row = rows_; row-- > first;) {
        const std::int64_t time = draws[row];
        if (time > 0) {
            bound = std::max(std::min(at[row] + tolerance(at[row], time), bound) - time, -far);
        }
        bounds[row] = bound;
    }
}

/// Marks the gaps from the first that is looked at on; the last one has no entries behind it.
void Search::mark_suffixes(Gate& gate) noexcept {
    gate.marked = true;
    if (gate.kind == GateKind::window) return mark_window(gate);
    if (gate.kind == GateKind::bucket) {
        const std::int64_t all = gate.lane_rule->bucket.tolerance;
        return mark_bucket(gate, [all](Instant, std::int64_t) { return all; });
    }
    mark_bucket(gate, [&](Instant at, std::int64_t time) { return tolerance(gate, at, time); });
}

Search::Mark Search::mark_of(Gate& gate, std::size_t row) noexcept {
    if (row == rows_) return end_mark(gate);
    if (!gate.marked) mark_suffixes(gate);
    return {gate.bounds[row], gate.bounds[gates_max * stride_ + row]};
}

/// Sees at a glance which gaps from the one before `first` on cannot hold the request, so that
/// fit_gap() need not look there: a gate that cannot bear it at the gap's beginning cannot do so
/// later in the same gap.
void Search::rule_out(std::size_t first, std::size_t charges) noexcept {
    for (std::size_t row = first; row <= last_; ++row) open_[row] = 1;
    for (std::size_t i = 0; i < charges; ++i) {
        const Way& normal = ways_[i * lanes];
        const Way& critical = ways_[i * lanes + 1];
        if (normal.allowed == critical.allowed) continue;  // what one rules out the other may not
        const Way& way = normal.allowed ? normal : critical;
        for (std::size_t g = way.first; g < std::size_t{way.first} + way.gates; ++g) {
            Gate& gate = gates_[g];
            catch_up(gate, first - 1);
            if (!gate.marked) mark_suffixes(gate);
            const std::size_t left = gate.kind == GateKind::window ? rule_out_window(gate, first)
                                                                   : rule_out_bucket(gate, first);
            if (left == 0) return;
        }
    }
}

/// How many gaps are left, the one behind every row not counted.
std::size_t Search::rule_out_bucket(const Gate& gate, std::size_t first) noexcept {
    const std::int64_t own = gate.own_time;
    const LaneRule& lane = *gate.lane_rule;
    const std::int64_t allowed =
        gate.kind == GateKind::bucket
            ? lane.bucket.tolerance
            : std::max(pace_tolerance(lane, true, own), pace_tolerance(lane, false, own));
    if (own > allowed) return rows_;
    const std::int64_t* const draws = gate.draws;
    const std::int64_t* const bounds = gate.bounds;
    const Instant* const at = at_.data();
    std::uint8_t* const open = open_.data();
    const std::size_t end = std::min(last_ + 1, rows_);
    const Instant latest = latest_;
    const Instant binds_until = gate.binds_until;
    std::size_t left = 0;
    Instant full_at = gate.full_at;
    for (std::size_t row = first; row < end; ++row) {
        full_at = std::min(std::max(full_at, at[row - 1]) + draws[row - 1], far);
        const Instant next = full_at + own;
        const Instant high = std::min(at[row], latest);
        const unsigned fits = unsigned{next - allowed <= high} & unsigned{next <= bounds[row]};
        const unsigned free = high >= binds_until;
        const unsigned stays = open[row] & (fits | free);
        open[row] = static_cast<std::uint8_t>(stays);
        left += stays;
    }
    return left;
}

std::size_t Search::rule_out_window(Gate gate, std::size_t first) noexcept {
    std::size_t left = 0;
    for (std::size_t row = first; row < std::min(last_ + 1, rows_); ++row) {
        const Instant low = at_[row - 1];
        const Instant high = high_of(row);
        if (gate.draws[row - 1] > 0) replay_window(gate, low, gate.draws[row - 1]);
        const Instant window = window_of(gate, low);
        const bool whole = high + utc_offset_ - window < gate.rule->window;
        if (whole && window >= gate.window_utc && high < gate.binds_until) {
            std::uint64_t total = gate.own_units;
            total += window == gate.window_utc
                         ? gate.used
                         : spent_in(*gate.rule, *gate.cell, gate.lane, window);
            const Mark mark = mark_of(gate, row);
            if (window == mark.window_utc) total += static_cast<std::uint64_t>(mark.bound);
            if (total > gate.lane_rule->quota) open_[row] = 0;
        }
        left += open_[row];
    }
    return left;
}

}  // namespace ratecoord::core
