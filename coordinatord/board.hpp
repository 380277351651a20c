// SPDX-License-Identifier: Apache-2.0
//
// What the daemon last saw of each budget, and of the last quarter of an hour: what the page, the
// metrics and the watches read.
//
// PROMISE  Bounded, whatever comes: history_samples per limit and key, histories_max and
//          journal_entries per budget.
// SHARING  One thread, the daemon's loop.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <ratecoord/snapshot.hpp>

namespace coordinatord {

inline constexpr std::size_t history_samples = 900;
inline constexpr std::size_t histories_max = 256;
inline constexpr std::size_t journal_entries = 200;

struct Sample {
    std::int64_t at_utc_ns = 0;
    std::uint64_t used = 0;  ///< in the window that runs, both lanes; bucket kinds: owed
    std::uint64_t outside = 0;
    std::uint64_t waiting = 0;
};

/// A limit, or a limit for one key, over time.
struct History {
    std::string limit;
    std::string key;  ///< may be empty
    std::deque<Sample> samples;
};

struct BudgetView {
    std::string problem;  ///< empty, or why it cannot be seen: then `snapshot` is the last one
    bool has_snapshot = false;
    ratecoord::Snapshot snapshot;
    std::deque<ratecoord::JournalEntry> journal;  ///< oldest first
    std::uint64_t journal_lost = 0;               ///< overwritten before they could be read
    std::vector<History> histories;
};

class Board {
  public:
    void put(const ratecoord::Snapshot& snapshot);
    void put_problem(const std::string& budget, const std::string& problem);
    void put_journal(const std::string& budget, std::vector<ratecoord::JournalEntry> fresh,
                     std::uint64_t lost);
    void remove(const std::string& budget);

    const std::map<std::string, BudgetView>& views() const noexcept { return views_; }
    /// Grows with every change: viewers ask whether there is anything new.
    std::uint64_t revision() const noexcept { return revision_; }

  private:
    std::map<std::string, BudgetView> views_;
    std::uint64_t revision_ = 0;
};

}  // namespace coordinatord
