// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/keeper.hpp"

#include <utility>

#include "coordinatord/log.hpp"

namespace coordinatord {

ratecoord::Result<void> Keeper::open() {
    auto opened = ratecoord::Budget::open(config_.name, config_.profile, config_.options);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    budget_ = std::move(*opened);
    is_up_to_date_ = budget_->conflicts().empty();
    bring_up_to_date();
    return {};
}

void Keeper::change(BudgetConfig config) {
    config_ = std::move(config);
    is_up_to_date_ = false;
    if (budget_) bring_up_to_date();
}

void Keeper::bring_up_to_date() {
    if (is_up_to_date_) return;
    const auto changed = budget_->set(config_.profile.limits());
    if (!changed) {
        if (pending_ != changed.error().message) {
            pending_ = changed.error().message;
            log_line(Severity::warning, "budget '" + name() +
                                            "': the limits of the file are not in " +
                                            "force yet: " + pending_);
        }
        return;
    }
    is_up_to_date_ = true;
    pending_.clear();
    for (const auto& change : *changed) {
        if (change.kind == ratecoord::LimitChange::Kind::same) continue;
        log_line(Severity::info,
                 "budget '" + name() + "': limit '" + change.name + "' is now " + change.after);
    }
}

void Keeper::read_journal(Board& board, const Tell& tell) {
    const auto page = budget_->journal();
    auto news = journal_.take(page);
    if (std::exchange(has_read_journal_, true)) {
        for (const auto& entry : news.entries) {
            tell({entry.kind, name(), entry.label, entry.text, entry.at + page.utc_offset});
        }
    }
    board.put_journal(name(), std::move(news.entries), news.overwritten + news.unfinished);
}

void Keeper::tick(Board& board, const WatchConfig& watch, const Tell& tell) {
    const auto fail = [&](const ratecoord::Error& error) {
        board.put_problem(name(), error.message);
        if (is_lost_) return;
        is_lost_ = true;
        log_line(Severity::error, "budget '" + name() + "': " + error.message +
                                      (error.hint.empty() ? "" : "; " + error.hint));
        tell({std::string(kinds::budget_lost), name(), {}, error.message, wall_clock_ns()});
    };
    if (!budget_) {
        if (auto opened = open(); !opened) return fail(opened.error());
    }
    read_journal(board, tell);  // first: the sweep leaves a segment that was destroyed
    if (auto swept = budget_->sweep(); !swept) {
        // Destroyed, or made anew by somebody with other limits: the next tick opens what is there.
        if (swept.error().code == ratecoord::ErrorCode::detached) budget_.reset();
        return fail(swept.error());
    }
    bring_up_to_date();
    const auto snapshot = budget_->snapshot();
    if (!snapshot) return fail(snapshot.error());
    if (is_lost_) {
        is_lost_ = false;
        tell({std::string(kinds::budget_back), name(), {}, "it can be had again", wall_clock_ns()});
    }
    board.put(*snapshot);
    watch_.look(*snapshot, watch, tell);
}

}  // namespace coordinatord
