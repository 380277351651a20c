// SPDX-License-Identifier: Apache-2.0
//
// Who drew how much, as counters that a time series can follow.
//
// PROMISE  No total ever falls while a segment lives, whoever leaves. Per budget at most
//          labels_max labels are named; what everybody else drew, and what was drawn by clients that
//          came and left unseen, is `other`. Named labels and `other` add up to the limit's own total.
//          A label keeps its place until the segment is replaced: series that come and go are series
//          without bound.
// SHARING  One thread, the daemon's loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "coordinatord/board.hpp"

namespace coordinatord {

inline constexpr std::size_t labels_max = 50;
inline constexpr const char* label_of_others = "other";

struct Drawn {
    std::uint64_t permits = 0;
    std::uint64_t units = 0;
};

struct LimitTotals {
    Drawn whole;
    std::uint64_t refused = 0;
    std::map<std::string, Drawn> named;
    Drawn other;
    /// What each client of a named label had drawn when it was last seen; by slot and generation.
    std::map<std::pair<std::uint32_t, std::uint32_t>, Drawn> seen;
};

struct BudgetTotals {
    std::string segment_id;
    std::map<std::string, std::uint64_t> labels;  ///< named ones, with their units at admission
    std::map<std::string, LimitTotals> limits;
};

class Totals {
  public:
    /// Often enough that few clients come and leave between two calls: at each tick, and at a scrape.
    void note(const Board& board);
    /// Null before the budget was first seen.
    const BudgetTotals* of(const std::string& budget) const;

  private:
    std::map<std::string, BudgetTotals> budgets_;
};

}  // namespace coordinatord
