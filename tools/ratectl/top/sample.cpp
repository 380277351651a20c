// SPDX-License-Identifier: Apache-2.0
#include "ratectl/top/sample.hpp"

#include "ratectl/budget_access.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

constexpr std::size_t journal_lines = 32;  // more than a part of a screen can show

WatchedBudget watch(const std::string& name) {
    WatchedBudget watched;
    watched.name = name;
    auto snapshot = ratecoord::read_snapshot(name);
    if (!snapshot) {
        watched.problem = snapshot.error().message;
        return watched;
    }
    watched.snapshot = *std::move(snapshot);
    // It may be gone by now; the next sample says so.
    if (auto journal = ratecoord::read_journal(name, journal_lines)) {
        watched.journal = *std::move(journal);
    }
    return watched;
}

WatchedBudget watch(const ratecoord::BudgetListing& listing) {
    WatchedBudget watched;
    watched.name = listing.name;
    watched.problem = listing.problem;
    if (!listing.problem.empty()) return watched;
    watched = watch(listing.name);
    if (watched.problem.empty() && watched.snapshot.path != listing.path) {
        // As root the name means root's own; that of another user is read as that user.
        watched.problem = "it belongs to another user; look as that user";
    }
    return watched;
}

}  // namespace

Outcome<TopSample> take_sample(const std::vector<std::string>& names) {
    TopSample sample;
    const auto clock = WallClock::read();
    sample.at = clock.now_ns();
    sample.utc_offset = clock.utc(0).time_since_epoch().count();
    for (const auto& name : names) sample.budgets.push_back(watch(name));
    if (!names.empty()) return sample;
    const auto found = ratecoord::list_budgets();
    if (!found) return tl::unexpected(budget_failure("list budgets", "", found.error()));
    for (const auto& listing : *found) sample.budgets.push_back(watch(listing));
    return sample;
}

}  // namespace ratectl
