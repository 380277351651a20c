// SPDX-License-Identifier: Apache-2.0
//
// Looks after one budget: it is there, its limits are those of the configuration, its dead clients are
// swept, its stops are on disk.
//
// PROMISE  K1  Nothing a bot does waits for it: it is one more client, and what it does in a commit
//              any client may do.
//          K2  A limit is changed by Budget::set only, which never breaks G1; what is refused now is
//              tried again with each tick.
//          K3  Events that stood in the journal before the daemon came are shown, not told.
// SHARING  One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <ratecoord/journal_follower.hpp>

#include "coordinatord/board.hpp"
#include "coordinatord/config.hpp"
#include "coordinatord/watches.hpp"

namespace coordinatord {

class Keeper {
  public:
    explicit Keeper(BudgetConfig config) : config_(std::move(config)) {}

    const std::string& name() const noexcept { return config_.name; }
    /// Attaches, or creates; the limits are then brought up to date.
    ratecoord::Result<void> open();
    /// Takes over what the file says now.
    void change(BudgetConfig config);
    void tick(Board& board, const WatchConfig& watch, const Tell& tell);
    /// Why the limits in force are not yet those of the file; empty if they are.
    const std::string& pending() const noexcept { return pending_; }

  private:
    void bring_up_to_date();
    void read_journal(Board& board, const Tell& tell);

    BudgetConfig config_;
    std::optional<ratecoord::Budget> budget_;
    bool is_up_to_date_ = false;
    bool is_lost_ = false;
    std::string pending_;
    ratecoord::JournalFollower journal_{journal_entries};
    bool has_read_journal_ = false;
    BudgetWatch watch_;
};

}  // namespace coordinatord
