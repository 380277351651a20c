// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/orders.hpp"
#include "mock_venue/moments.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

namespace {

OrderRequest request(const std::string& type, const std::string& client_id) {
    return {"ABCUSDT", "BUY", type, client_id, "1.00", "3"};
}

const Order& order(const OrderOutcome& outcome) {
    REQUIRE(std::holds_alternative<Order>(outcome));
    return std::get<Order>(outcome);
}

int code(const OrderOutcome& outcome) {
    REQUIRE(std::holds_alternative<OrderError>(outcome));
    return std::get<OrderError>(outcome).code;
}

}  // namespace

TEST_CASE("a client order id is unique among open orders only (O1)") {
    OrderBook book;
    const auto first = order(book.place("main", request("LIMIT", "bot-1"), at(0s))).id;
    CHECK(code(book.place("main", request("LIMIT", "bot-1"), at(1s))) == -2010);
    CHECK(code(book.place("main", request("MARKET", "bot-1"), at(1s))) == -2010);
    CHECK(book.duplicates() == 2);
    CHECK(order(book.place("other", request("LIMIT", "bot-1"), at(1s))).id != first);

    CHECK(order(book.cancel("main", {"ABCUSDT", first, ""})).status == OrderStatus::canceled);
    CHECK(order(book.place("main", request("LIMIT", "bot-1"), at(2s))).id != first);
}

TEST_CASE("a market order fills at once and frees its id (O2)") {
    OrderBook book;
    const auto first = order(book.place("main", request("MARKET", "bot-1"), at(0s)));
    CHECK(first.status == OrderStatus::filled);
    const auto second = order(book.place("main", request("MARKET", "bot-1"), at(0s)));
    CHECK(second.id != first.id);
    CHECK(book.open_orders("main", "").empty());
    CHECK(code(book.cancel("main", {"ABCUSDT", first.id, ""})) == -2011);
}

TEST_CASE("a lookup by client id finds the newest order that bore it (O3)") {
    OrderBook book;
    const auto first = order(book.place("main", request("MARKET", "bot-1"), at(0s))).id;
    const auto second = order(book.place("main", request("LIMIT", "bot-1"), at(1s))).id;
    CHECK(order(book.find("main", {"ABCUSDT", 0, "bot-1"})).id == second);
    CHECK(order(book.find("main", {"ABCUSDT", first, ""})).status == OrderStatus::filled);
    CHECK(code(book.find("main", {"ABCUSDT", 0, "bot-2"})) == -2013);
    CHECK(code(book.find("main", {"XYZUSDT", 0, "bot-1"})) == -2013);
    CHECK(code(book.find("other", {"ABCUSDT", 0, "bot-1"})) == -2013);
}

TEST_CASE("open orders are listed oldest first") {
    OrderBook book;
    book.place("main", request("LIMIT", "z"), at(0s));
    book.place("main", request("LIMIT", "a"), at(1s));
    book.place("main", request("MARKET", "m"), at(2s));
    book.place("main", {"XYZUSDT", "SELL", "LIMIT", "", "", ""}, at(3s));
    const auto all = book.open_orders("main", "");
    REQUIRE(all.size() == 3);
    CHECK(all[0].request.client_id == "z");
    CHECK(all[1].request.client_id == "a");
    CHECK(all[2].request.client_id == "venue-4");
    CHECK(book.open_orders("main", "XYZUSDT").size() == 1);
    CHECK(book.open_orders("nobody", "").empty());
}

TEST_CASE("very old closed orders are forgotten, open ones never") {
    OrderBook book;
    book.place("main", request("LIMIT", "open"), at(0s));
    const auto first = order(book.place("main", request("MARKET", "first"), at(0s))).id;
    for (int i = 0; i < 100'000; ++i) book.place("main", request("MARKET", ""), at(1s));
    CHECK(code(book.find("main", {"ABCUSDT", first, ""})) == -2013);
    CHECK(code(book.find("main", {"ABCUSDT", 0, "first"})) == -2013);
    CHECK(order(book.find("main", {"ABCUSDT", 0, "open"})).status == OrderStatus::open);
}

TEST_CASE("a hidden order is there, and no lookup finds it before its time (O3)") {
    OrderBook book;
    book.place("main", request("LIMIT", "bot-1"), at(0s));
    book.hide("main", "bot-1", at(5s));
    book.hide("main", "bot-2", at(5s));
    book.hide("nobody", "bot-1", at(5s));
    CHECK(code(book.find("main", {"ABCUSDT", 0, "bot-1"}, at(4s))) == -2013);
    CHECK(code(book.place("main", request("LIMIT", "bot-1"), at(4s))) == -2010);
    CHECK(order(book.find("main", {"ABCUSDT", 0, "bot-1"}, at(5s))).request.client_id == "bot-1");
    REQUIRE(book.all().size() == 1);
    CHECK(book.all()[0].account == "main");
}
