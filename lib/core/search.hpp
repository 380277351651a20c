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
    /// lane alone (bind() saw to it); `at` is `far` only where there is none by `latest`, or where
    /// a state from outside is absurd.
    Found earliest(const State& state, const Rules& rules, const Ask& ask, Instant from,
                   std::uint64_t without, Instant latest = far - 1) noexcept;

  private:
    static constexpr std::size_t gates_max = max_charges * lanes * 4;

    enum class GateKind : std::uint8_t { bucket, pace, window };

    /// One constraint of one lane of one cell.
    struct Gate {
        GateKind kind;
        std::uint8_t lane;
        bool marked;
        std::uint16_t cell_index;
        std::uint32_t memo_units;  // costs repeat, and a division is dear
        std::int64_t memo_draw;
        std::int64_t* draws;   // by row: time or units that it takes; 0 where nothing
        std::int64_t* bounds;  // by row: what the rows from there on can bear
        Instant binds_until;
        Instant full_at_end;  // bucket kinds: when every row is drawn
        std::size_t row;      // the state below is as of the gap before this row
        Instant full_at;
        Instant window_utc;
        std::uint64_t used;
        const Rule* rule;
        const LaneRule* lane_rule;
        const Cell* cell;
        Gate* next;  // of the same way
        std::uint32_t own_units;
        std::int64_t own_time;
    };
    /// What the entries from some row on can bear: a bucket found at most this full, or the units
    /// they take from the first window they touch.
    struct Mark {
        std::int64_t bound;
        Instant window_utc;
    };
    /// A way to draw one charge: the gates of one lane, from `first` on.
    struct Way {
        std::uint8_t first;
        std::uint8_t gates;
        bool allowed;
    };

    void prepare(const State& state, const Rules& rules, const Ask& ask) noexcept;
    void release() noexcept;
    void add_gates(const State& state, const Rules& rules, Way& way, std::uint16_t cell,
                   std::size_t lane, std::uint32_t units) noexcept;
    void add_gate(const State& state, const Rules& rules, GateKind kind, std::uint16_t cell,
                  std::size_t lane, std::uint32_t units) noexcept;

    // search_rows.cpp
    void list_rows(const State& state, std::uint64_t without) noexcept;
    void replay_window(Gate& gate, Instant at, std::int64_t units) const noexcept;
    void catch_up(Gate& gate, std::size_t row) noexcept;
    void mark_suffixes(Gate& gate) noexcept;
    void mark_window(const Gate& gate) noexcept;
    template <class Tolerance>
    void mark_bucket(const Gate& gate, Tolerance&& tolerance) noexcept;
    static Mark end_mark(const Gate& gate) noexcept {
        return {gate.kind == GateKind::window ? 0 : far, -far};
    }
    Mark mark_of(Gate& gate, std::size_t row) noexcept;
    void rule_out(std::size_t first, std::size_t charges) noexcept;
    std::size_t rule_out_bucket(const Gate& gate, std::size_t first) noexcept;
    std::size_t rule_out_window(Gate gate, std::size_t first) noexcept;
    /// End of the gap before `row`.
    Instant high_of(std::size_t row) const noexcept {
        return row < rows_ ? std::min(at_[row], latest_) : latest_;
    }
    Instant fit_gap(std::size_t row, Instant low, Instant high, std::size_t charges) noexcept;
    Instant fit_way(const Way& way, std::size_t row, Instant at, Instant high) noexcept;
    Instant fit_gate(Gate& gate, std::size_t row, Instant at) noexcept;
    Instant fit_bucket(const Gate& gate, const Mark& mark, Instant at) noexcept;
    Instant fit_window(const Gate& gate, const Mark& mark, Instant at) noexcept;
    Found complete(const Ask& ask, Instant at, std::size_t row) noexcept;
    std::int64_t draw_of(Gate& gate, std::uint32_t units) noexcept;
    Instant window_of(const Gate& gate, Instant at) const noexcept;
    std::int64_t tolerance(const Gate& gate, Instant at, std::int64_t time) const noexcept;

    std::vector<Gate> gates_;  // at most max_charges x lanes x 4
    std::size_t gate_count_ = 0;
    std::vector<Way> ways_;       // two for each charge: normal, critical
    std::vector<Gate*> touched_;  // by cell x lane: the first gate that a charge touches
    // A row for each entry that touches a way; the others divide no gap. By gate, then by row.
    std::size_t stride_;
    std::size_t rows_ = 0;
    std::size_t first_ = 0;  // the first row after `from`
    std::size_t last_ = 0;   // the first row after `latest`
    Instant latest_ = far - 1;
    std::vector<Instant> at_;
    std::vector<std::int64_t> draws_;
    std::vector<std::int64_t> marks_;  // bounds of every gate, then windows of every gate
    std::vector<std::uint8_t> open_;   // by row: whether the gap before it is not ruled out
    std::int64_t utc_offset_ = 0;
    std::size_t rounds_left_ = 0;  // of the search that runs
};

inline std::int64_t Search::draw_of(Gate& gate, std::uint32_t units) noexcept {
    if (units != gate.memo_units) {
        gate.memo_units = units;
        gate.memo_draw = gate.kind == GateKind::window ? std::int64_t{units}
                                                       : gate.lane_rule->bucket.time(units);
    }
    return gate.memo_draw;
}

inline Instant Search::window_of(const Gate& gate, Instant at) const noexcept {
    const Instant utc = at + utc_offset_;
    if (utc >= gate.window_utc && utc - gate.window_utc < gate.rule->window) {
        return gate.window_utc;
    }
    return window_start(utc, gate.rule->window);
}

inline std::int64_t Search::tolerance(const Gate& gate, Instant at,
                                      std::int64_t time) const noexcept {
    if (gate.kind == GateKind::bucket) return gate.lane_rule->bucket.tolerance;
    return pace_tolerance(*gate.lane_rule, at < gate.cell->paced_until, time);
}

}  // namespace ratecoord::core
