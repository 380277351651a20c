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
    enum class GateKind : std::uint8_t { bucket, pace, window };

    /// One constraint of one lane of one cell.
    struct Gate {
        GateKind kind;
        std::uint8_t lane;
        std::uint16_t cell_index;
        const Rule* rule;
        const LaneRule* lane_rule;
        const Cell* cell;
        std::uint32_t own_units;
        std::int64_t own_time;
        Instant full_at;           // as of the gap under inspection
        Instant window_utc;
        std::uint64_t used;
        std::uint32_t memo_units;  // last division, since costs repeat
        std::int64_t memo_time;
    };
    /// What the entries from some index on can bear: a bucket found at most this full, or the units
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
    template <class Use>
    void each_hit(const Entry& entry, Use&& use) noexcept;
    std::size_t list_live(const State& state, std::uint64_t without) noexcept;
    bool replay(const Entry& entry) noexcept;
    void mark_suffixes(const State& state, std::size_t first, std::size_t live) noexcept;
    Instant fit_gap(std::size_t index, Instant low, Instant high, std::size_t charges) noexcept;
    Instant fit_way(const Way& way, const Mark* marks, Instant at, Instant high) noexcept;
    Instant fit_gate(Gate& gate, const Mark& mark, Instant at) noexcept;
    Instant fit_bucket(const Gate& gate, const Mark& mark, Instant at) noexcept;
    Instant fit_window(const Gate& gate, const Mark& mark, Instant at) noexcept;
    Found complete(const Ask& ask, Instant at, std::size_t index, bool first_in_line) noexcept;
    std::int64_t time_of(Gate& gate, std::uint32_t units) noexcept;
    Instant window_of(const Gate& gate, Instant at) const noexcept;
    bool binds(const Gate& gate, Instant at) const noexcept;
    std::int64_t tolerance(const Gate& gate, Instant at, std::int64_t time) const noexcept;

    std::vector<Gate> gates_;          // at most max_charges x lanes x 4
    std::size_t gate_count_ = 0;
    std::vector<Way> ways_;            // two for each charge: normal, critical
    std::vector<std::int8_t> way_of_;  // by cell x lane: which way an entry's charge touches, or -1
    std::vector<Mark> marks_;          // entries+1 rows of gate_count_
    std::vector<std::uint16_t> live_;  // indices of entries that count
    std::int64_t utc_offset_ = 0;
};

}  // namespace ratecoord::core
