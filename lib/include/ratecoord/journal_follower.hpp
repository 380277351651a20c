// SPDX-License-Identifier: Apache-2.0
//
// Which events of a journal are new, and which were lost before they could be read. For who shows or
// tells them: feed it pages of read_journal_page() or Budget::journal().
//
// PROMISE  Each event is given once, in order. A gap behind which others stand already is looked at
//          `patience` times more, since its writer may be about to fill it; then it is given up.
// SHARING  One thread; reads nothing by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ratecoord/snapshot.hpp>

namespace ratecoord {

class JournalFollower {
  public:
    static constexpr int patience = 5;

    /// What a page brought.
    struct News {
        bool made_anew = false;         ///< another segment of the same name
        std::uint64_t overwritten = 0;  ///< lost: newer ones took their place
        std::uint64_t unfinished = 0;   ///< lost: their writers died
        std::vector<JournalEntry> entries;
    };

    /// Begins with the last `last` events.
    explicit JournalFollower(std::size_t last) : last_(last) {}

    /// `page` must hold all that is there: the budget may be another one by now.
    News take(const JournalPage& page);

  private:
    std::size_t last_;
    std::string segment_;
    std::uint64_t next_ = 0;
    int looked_ = 0;  // at the gap before next_
};

}  // namespace ratecoord
