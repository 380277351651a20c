// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/budgets_json.hpp"

#include <nlohmann/json.hpp>

#include "daemon/acme_snapshot.hpp"
#include "support/catch.hpp"

using namespace coordinatord;
using ratecoord::testing::snapshot_of;

TEST_CASE("the board as JSON says state, stops, use and who drew it") {
    Board board;
    board.put(snapshot_of(3));
    board.put(snapshot_of(4));
    board.put_journal("acme", {{1, 500'000'000, "ban", "bot", "418"}}, 2);
    board.put_problem("lost", "it is gone");
    const auto json = nlohmann::json::parse(render_budgets(board));
    CHECK(json["revision"] == 4);
    const auto& acme = json["budgets"][0];
    CHECK(acme["state"] == "banned");
    CHECK(acme["pauses"].dump() == R"([{"kind":"ban","until_ms":8000}])");
    CHECK(acme["limits"][0]["cells"][0]["used"] == 4);
    CHECK(acme["limits"][0]["cells"][0]["most"] == 10);
    CHECK(acme["limits"][0]["cells"][0]["outside"] == 2);
    CHECK(acme["limits"][0]["drawn_by"][0]["label"] == "<b>bot\xEF\xBF\xBD");
    CHECK(acme["history"][0]["samples"].dump() == "[[6000,3,2,0],[6000,4,2,0]]");
    CHECK(acme["journal"].dump() ==
          R"([{"at_ms":5500,"kind":"ban","label":"bot","sequence":1,"text":"418"}])");
    CHECK(acme["journal_lost"] == 2);
    CHECK(json["budgets"][1].dump() == R"({"name":"lost","problem":"it is gone","seen":false})");
}

TEST_CASE("a bucket that owes more than it holds is shown as full") {
    Board board;
    board.put(snapshot_of(259'200));
    const auto json = nlohmann::json::parse(render_budgets(board));
    CHECK(json["budgets"][0]["limits"][0]["cells"][0]["used"] == 10);
    CHECK(json["budgets"][0]["history"][0]["samples"].dump() == "[[6000,10,2,0]]");
}

TEST_CASE("the board as JSON is bounded, and says what it left out") {
    auto snapshot = snapshot_of(1);
    auto& limit = snapshot.limits[0];
    limit.cells.resize(200, limit.cells[0]);
    for (std::size_t i = 0; i < limit.cells.size(); ++i) limit.cells[i].key = std::to_string(i);
    limit.drawn_by.resize(500);
    snapshot.clients.resize(1000);
    Board board;
    for (std::size_t i = 0; i < most_points + 1; ++i) board.put(snapshot);
    const auto json = nlohmann::json::parse(render_budgets(board));
    const auto& acme = json["budgets"][0];
    CHECK(acme["limits"][0]["cells"].size() == most_cells);
    CHECK(acme["limits"][0]["cells_left_out"] == 200 - most_cells);
    CHECK(acme["limits"][0]["drawn_by"].size() == most_drawn);
    CHECK(acme["clients"].size() == most_clients);
    CHECK(acme["clients_left_out"] == 1000 - most_clients);
    CHECK(acme["history"].size() == most_histories);
    CHECK(acme["history"][0]["samples"].size() == most_points / 2 + 1);
}
