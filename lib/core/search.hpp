// SPDX-License-Identifier: Apache-2.0
//
// The earliest instant at which a request may go without delaying anyone before it.
//
// PROMISE  E1  The instant found is the earliest t >= from at which every limit fits the request
//              and every entry already in the calendar still fits after it (G5).
//          E2  O(entries x limits), always: one backward pass gives, for each gate, how full every
//              suffix can bear to be found; one forward pass replays the prefix and takes the
//              first gap that fits.
//          E3  Pending entries do not count.
// STATE    Scratch, made once per process: the passes allocate nothing.
// SHARING  One Search serves one caller at a time.
#pragma once

#include <vector>

#include "core/cells.hpp"
#include "core/state.hpp"

namespace ratecoord::core {

/// A request whose cells are known.
struct Ask {
    struct Charge {
        std::uint16_t cell = none;
        std::uint32_t units = 0;
    };
    std::array<Charge, max_charges> charges;
    std::uint8_t count = 0;
    Lane lane = Lane::normal;
};

struct Found {
    Instant at = far;
    Instant hand_out_until = far;
    Instant valid_until = far;
    std::uint8_t critical_mask = 0;  ///< bit i: charge i takes the critical lane
    /// No entry before `at` draws from a cell of this request: it may be charged at once.
    bool first_in_line = true;
};

class Search {
  public:
    explicit Search(const Capacity& capacity);

    /// E1 for `ask`, leaving `without` (an id, or 0) out of account. Needs every charge to fit its
    /// lane alone (bind() saw to it); `at` is `far` only where a state from outside is absurd.
    Found earliest(const State& state, const Rules& rules, const Ask& ask, Instant from,
                   std::uint64_t without) noexcept;

  private:
    /// A row that takes nothing from a gate.
    static constexpr std::int64_t nothing = -1;

    enum class GateKind : std::uint8_t { bucket, pace, window };

    /// One constraint of one lane of one cell.
    struct Gate {
        GateKind kind;
        std::uint8_t lane;
        std::uint16_t cell_index;
        std::uint32_t memo_units;  // last division, since costs repeat
        std::int64_t memo_time;
        Instant expires_at;        // of its cell
        Instant full_at;           // as of the gap under inspection
        Instant window_utc;
        std::uint64_t used;
        const Rule* rule;
        const LaneRule* lane_rule;
        const Cell* cell;
        std::uint32_t own_units;
        std::int64_t own_time;
    };
    /// What the entries from some row on can bear: a bucket found at most this full, or the units
    /// they take from the first window they touch.
    struct Mark {
        std::int64_t bound;
        Instant window_utc;
    };
    /// A way to draw one charge: the gates of one lane.
    struct Way {
        std::array<std::uint8_t, 4> gate;
        std::uint8_t gates;
        bool allowed;
    };

    void prepare(const State& state, const Rules& rules, const Ask& ask) noexcept;
    void release() noexcept;
    void add_gates(const State& state, const Rules& rules, Way& way, std::uint16_t cell,
                   std::size_t lane, std::uint32_t units) noexcept;
    std::uint8_t gate_of(const State& state, const Rules& rules, GateKind kind, std::uint16_t cell,
                         std::size_t lane, std::uint32_t units) noexcept;
    // search_rows.cpp
    void list_rows(const State& state, std::uint64_t without) noexcept;
    void enter_draws(const Way& way, std::uint32_t units, Instant at) noexcept;
    void catch_up(std::size_t first, std::size_t last) noexcept;
    void mark_suffixes(std::size_t first) noexcept;
    template <class Take>
    void mark_gate(std::size_t gate, std::size_t first, Mark mark, Take&& take) noexcept;
    void rule_out(std::size_t first, std::size_t charges) noexcept;
    void rule_out_bucket(std::size_t gate, std::size_t first) noexcept;
    void rule_out_window(std::size_t gate, std::size_t first) noexcept;
    void replay_window(Gate& gate, Instant at, std::int64_t units) const noexcept;

    const Mark& mark_of(std::size_t gate, std::size_t row) const noexcept {
        return marks_[gate * stride_ + row];
    }
    /// End of the gap before `row`.
    Instant high_of(std::size_t row) const noexcept { return row < rows_ ? at_[row] : far - 1; }
    Instant fit_gap(std::size_t row, Instant low, Instant high, std::size_t charges) noexcept;
    Instant fit_way(const Way& way, std::size_t row, Instant at, Instant high) noexcept;
    Instant fit_gate(Gate& gate, const Mark& mark, Instant at) noexcept;
    Instant fit_bucket(const Gate& gate, const Mark& mark, Instant at) noexcept;
    Instant fit_window(const Gate& gate, const Mark& mark, Instant at) noexcept;
    Found complete(const Ask& ask, Instant at, std::size_t row) noexcept;
    std::int64_t time_of(Gate& gate, std::uint32_t units) noexcept;
    Instant window_of(const Gate& gate, Instant at) const noexcept;
    bool binds(const Gate& gate, Instant at) const noexcept;
    std::int64_t tolerance(const Gate& gate, Instant at, std::int64_t time) const noexcept;

    std::vector<Gate> gates_;          // at most max_charges x lanes x 4
    std::size_t gate_count_ = 0;
    std::vector<Way> ways_;            // two for each charge: normal, critical
    std::vector<std::int8_t> way_of_;  // by cell x lane: which way an entry's charge touches, or -1
    // A row for each entry that touches a way; the others divide no gap. By gate, then by row.
    std::size_t stride_;
    std::size_t rows_ = 0;
    std::vector<Instant> at_;
    std::vector<std::int64_t> draws_;  // time or units it takes from the gate; or `nothing`
    std::vector<Mark> marks_;
    std::vector<std::uint8_t> open_;   // by row: whether the gap before it is not ruled out
    std::int64_t utc_offset_ = 0;
    std::size_t rounds_left_ = 0;  // of the search that runs
};

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
    if (at >= gate.expires_at) return false;
    return gate.kind != GateKind::pace || is_paced(*gate.rule, *gate.cell, at);
}

inline std::int64_t Search::tolerance(const Gate& gate, Instant at,
                                      std::int64_t time) const noexcept {
    if (gate.kind == GateKind::bucket) return gate.lane_rule->bucket.tolerance;
    return pace_tolerance(*gate.lane_rule, at < gate.cell->paced_until, time);
}

}  // namespace ratecoord::core
