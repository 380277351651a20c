// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/board.hpp"

#include <algorithm>

namespace coordinatord {
namespace {

Sample sample_of(const ratecoord::CellSnapshot& cell, std::int64_t at_utc_ns) {
    Sample sample;
    sample.at_utc_ns = at_utc_ns;
    for (const auto& lane : cell.lanes) sample.used += lane.used;
    sample.outside = cell.outside;
    sample.waiting = cell.waiting;
    return sample;
}

/// Histories of cells that are no longer there go: keys come and are recycled.
void note_cells(BudgetView& view, std::int64_t at_utc_ns) {
    std::vector<History> kept;
    for (const auto& limit : view.snapshot.limits) {
        for (const auto& cell : limit.cells) {
            const auto known = std::find_if(
                view.histories.begin(), view.histories.end(), [&](const History& history) {
                    return history.limit == limit.definition.name && history.key == cell.key;
                });
            History history = known == view.histories.end()
                                  ? History{limit.definition.name, cell.key, {}}
                                  : std::move(*known);
            history.samples.push_back(sample_of(cell, at_utc_ns));
            if (history.samples.size() > history_samples) history.samples.pop_front();
            kept.push_back(std::move(history));
        }
    }
    view.histories = std::move(kept);
}

}  // namespace

void Board::put(const ratecoord::Snapshot& snapshot) {
    BudgetView& view = views_[snapshot.name];
    view.problem.clear();
    view.has_snapshot = true;
    view.snapshot = snapshot;
    note_cells(view, snapshot.now + snapshot.utc_offset);
    ++revision_;
}

void Board::put_problem(const std::string& budget, const std::string& problem) {
    views_[budget].problem = problem;
    ++revision_;
}

void Board::remove(const std::string& budget) {
    if (views_.erase(budget) > 0) ++revision_;
}

void Board::put_journal(const std::string& budget, std::vector<ratecoord::JournalEntry> fresh,
                        std::uint64_t lost) {
    if (fresh.empty() && lost == 0) return;
    BudgetView& view = views_[budget];
    view.journal_lost += lost;
    for (auto& entry : fresh) view.journal.push_back(std::move(entry));
    while (view.journal.size() > journal_entries) view.journal.pop_front();
    ++revision_;
}

}  // namespace coordinatord
