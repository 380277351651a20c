// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/board.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

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

struct Seen {
    const std::string* limit;
    const ratecoord::CellSnapshot* cell;
    Sample sample;
};

/// Of every cell; above `histories_max` of those that are used most.
std::vector<Seen> cells_of(const ratecoord::Snapshot& snapshot, std::int64_t at_utc_ns) {
    std::vector<Seen> cells;
    for (const auto& limit : snapshot.limits) {
        for (const auto& cell : limit.cells) {
            cells.push_back({&limit.definition.name, &cell, sample_of(cell, at_utc_ns)});
        }
    }
    if (cells.size() <= histories_max) return cells;
    const auto weight = [](const Seen& seen) {
        return std::tuple(seen.cell->key.empty(), seen.sample.used, seen.sample.waiting);
    };
    std::stable_sort(cells.begin(), cells.end(), [&](const Seen& one, const Seen& other) {
        return weight(one) > weight(other);
    });
    cells.resize(histories_max);
    return cells;
}

/// Histories of cells that are no longer there go: keys come and are recycled.
void note_cells(BudgetView& view, std::int64_t at_utc_ns) {
    std::map<std::pair<std::string_view, std::string_view>, History*> known;
    for (auto& history : view.histories) known[{history.limit, history.key}] = &history;
    std::vector<History> kept;
    for (const auto& [limit, cell, sample] : cells_of(view.snapshot, at_utc_ns)) {
        const auto found = known.find({*limit, cell->key});
        History history{*limit, cell->key, {}};
        if (found != known.end()) history.samples = std::move(found->second->samples);
        history.samples.push_back(sample);
        if (history.samples.size() > history_samples) history.samples.pop_front();
        kept.push_back(std::move(history));
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
