// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/board.hpp"

#include "support/catch.hpp"

using namespace coordinatord;

namespace {

ratecoord::Snapshot snapshot_of(std::uint64_t used, const std::vector<std::string>& keys) {
    ratecoord::Snapshot snapshot;
    snapshot.name = "budget";
    snapshot.limits.resize(1);
    snapshot.limits[0].definition.name = "orders";
    for (const auto& key : keys) {
        ratecoord::CellSnapshot cell;
        cell.key = key;
        cell.lanes.resize(2);
        cell.lanes[0].used = used;
        cell.lanes[1].used = 1;
        snapshot.limits[0].cells.push_back(cell);
    }
    return snapshot;
}

}  // namespace

TEST_CASE("the board keeps a bounded history of every limit and key that is there") {
    Board board;
    for (std::uint64_t i = 0; i < 2 * history_samples; ++i) board.put(snapshot_of(i, {"a", "b"}));
    const auto& view = board.views().at("budget");
    REQUIRE(view.histories.size() == 2);
    CHECK(view.histories[1].key == "b");
    CHECK(view.histories[1].samples.size() == history_samples);
    CHECK(view.histories[1].samples.back().used == 2 * history_samples);
    board.put(snapshot_of(0, {"b"}));
    REQUIRE(view.histories.size() == 1);
    CHECK(view.histories[0].samples.size() == history_samples);
}

TEST_CASE("of more keys than are kept, those that draw most have a history") {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < histories_max + 40; ++i) keys.push_back(std::to_string(i));
    Board board;
    auto snapshot = snapshot_of(0, keys);
    board.put(snapshot);
    const auto& view = board.views().at("budget");
    CHECK(view.histories.size() == histories_max);
    snapshot.limits[0].cells.back().lanes[0].used = 7;
    board.put(snapshot);
    board.put(snapshot);
    CHECK(view.histories.size() == histories_max);
    CHECK(view.histories[0].key == keys.back());
    CHECK(view.histories[0].samples.size() == 2);
    CHECK(view.histories[1].samples.size() == 3);
}

TEST_CASE("a budget that cannot be had keeps its last view, with the reason") {
    Board board;
    board.put(snapshot_of(3, {""}));
    const auto before = board.revision();
    board.put_problem("budget", "it is gone");
    CHECK(board.revision() > before);
    CHECK(board.views().at("budget").problem == "it is gone");
    CHECK(board.views().at("budget").has_snapshot);
    board.put(snapshot_of(4, {""}));
    CHECK(board.views().at("budget").problem.empty());
}

TEST_CASE("the board keeps the last entries of a journal") {
    Board board;
    std::vector<ratecoord::JournalEntry> entries(journal_entries + 5);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].sequence = i + 1;
    board.put_journal("budget", std::move(entries), 7);
    const auto& view = board.views().at("budget");
    CHECK(view.journal.size() == journal_entries);
    CHECK(view.journal.front().sequence == 6);
    CHECK(view.journal_lost == 7);
}
