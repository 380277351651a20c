// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/metrics_totals.hpp"

#include <algorithm>
#include <vector>

namespace coordinatord {
namespace {

// Places go to whoever draws most of those who have none.
void admit(BudgetTotals& totals, const ratecoord::Snapshot& snapshot) {
    if (totals.labels.size() >= labels_max) return;
    std::map<std::string, std::uint64_t> fresh;
    for (const auto& limit : snapshot.limits) {
        for (const auto& drawn : limit.drawn_by) {
            if (drawn.label != label_of_others && !totals.labels.contains(drawn.label)) {
                fresh[drawn.label] += drawn.units;
            }
        }
    }
    std::vector<std::pair<std::string, std::uint64_t>> ranked(fresh.begin(), fresh.end());
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& label : ranked) {
        if (totals.labels.size() >= labels_max) return;
        totals.labels.insert(label);
    }
}

std::uint64_t growth(std::uint64_t before, std::uint64_t now) {
    return now > before ? now - before : 0;
}

// Names, sums and counters are read one after the other while clients come and go; a total that seems
// to fall for a moment stands still instead.
void raise_to(std::uint64_t& total, std::uint64_t now) {
    total = std::max(total, now);
}

void note_limit(LimitTotals& totals, const ratecoord::LimitSnapshot& limit,
                const std::map<std::string, std::uint64_t>& labels) {
    raise_to(totals.whole.permits, limit.granted_permits);
    raise_to(totals.whole.units, limit.granted_units);
    raise_to(totals.refused, limit.refused);
    auto before = std::move(totals.seen);
    totals.seen.clear();
    for (const auto& drawn : limit.drawn_by) {
        if (!labels.contains(drawn.label)) continue;
        const auto client = std::pair(drawn.slot, drawn.generation);
        const Drawn last = before[client];
        Drawn& named = totals.named[drawn.label];
        named.permits += growth(last.permits, drawn.permits);
        named.units += growth(last.units, drawn.units);
        totals.seen[client] = {drawn.permits, drawn.units};
    }
    Drawn sum;
    for (const auto& [label, drawn] : totals.named) {
        sum.permits += drawn.permits;
        sum.units += drawn.units;
    }
    raise_to(totals.other.permits, growth(sum.permits, totals.whole.permits));
    raise_to(totals.other.units, growth(sum.units, totals.whole.units));
}

}  // namespace

void Totals::note(const Board& board) {
    std::erase_if(budgets_,
                  [&](const auto& known) { return !board.views().contains(known.first); });
    for (const auto& [name, view] : board.views()) {
        if (!view.has_snapshot) continue;
        BudgetTotals& totals = budgets_[name];
        if (totals.segment_id != view.snapshot.segment_id) totals = {};
        totals.segment_id = view.snapshot.segment_id;
        admit(totals, view.snapshot);
        std::map<std::string, LimitTotals> standing;
        for (const auto& limit : view.snapshot.limits) {
            LimitTotals& known = standing[limit.definition.name];
            known = std::move(totals.limits[limit.definition.name]);
            note_limit(known, limit, totals.labels);
        }
        totals.limits = std::move(standing);
    }
}

const BudgetTotals* Totals::of(const std::string& budget) const {
    const auto known = budgets_.find(budget);
    return known == budgets_.end() ? nullptr : &known->second;
}

}  // namespace coordinatord
