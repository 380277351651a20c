// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/venue.hpp"

#include <nlohmann/json.hpp>

#include "mock_venue/visitor.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;
using nlohmann::json;

namespace {

int code_of(const Reply& reply) {
    return json::parse(reply.body).at("code");
}

}  // namespace

TEST_CASE("what does not fit is refused with 429, the wait and the venue's words") {
    Visitor visitor({"--limit", "weight=10/1m"});
    const Reply first = visitor.get(19s, "/x?weight=8");
    CHECK(first.status == 200);
    CHECK(header_of(first, "X-MBX-USED-WEIGHT-1M") == "8");
    CHECK(header_of(first, "X-MBX-USED-WEIGHT") == "8");
    const Reply refused = visitor.get(19s + 1ns, "/x?weight=3");
    CHECK(refused.status == 429);
    CHECK(header_of(refused, "Retry-After") == "41");
    CHECK(header_of(refused, "X-MBX-USED-WEIGHT-1M") == "8");
    CHECK(code_of(refused) == -1003);
    CHECK(contains(refused.body, "current limit is 10 request weight per 1 MINUTE"));
    CHECK(visitor.get(20s, "/x?weight=2").status == 200);
    CHECK(visitor.get(60s, "/x?weight=10").status == 200);
    const Tally& tally = visitor.venue().tally();
    CHECK(tally.requests == 4);
    CHECK(tally.accepted == 3);
    CHECK(tally.rejected.at(429) == 1);
}

TEST_CASE("a request is charged to all its limits or to none") {
    Visitor visitor({"--limit", "weight=10/1m", "--limit", "orders=1/10s,per=X-Account"});
    const std::vector<HeaderField> account{{"X-Account", "main"}};
    CHECK(visitor.get(0s, "/x?orders=1", account).status == 200);
    const Reply refused = visitor.get(1s, "/x?weight=5&orders=1", account);
    CHECK(refused.status == 429);
    CHECK(code_of(refused) == -1015);
    CHECK(header_of(refused, "Retry-After") == "9");
    CHECK(header_of(refused, "X-MBX-ORDER-COUNT-10S") == "1");
    CHECK(header_of(visitor.get(2s, "/x"), "X-MBX-USED-WEIGHT-1M") == "2");
    // Another account has a count of its own.
    CHECK(visitor.get(3s, "/x?orders=1", {{"X-Account", "other"}}).status == 200);
}

TEST_CASE("rejected requests count only where the venue says so") {
    Visitor lenient({"--limit", "weight=10/1m"});
    Visitor strict({"--limit", "weight=10/1m", "--count-rejected", "1"});
    for (Visitor* const visitor : {&lenient, &strict}) {
        visitor->get(0s, "/x?weight=9");
        visitor->get(1s, "/x?weight=4");
    }
    CHECK(lenient.get(2s, "/x").status == 200);
    const Reply refused = strict.get(2s, "/x");
    CHECK(refused.status == 429);
    CHECK(header_of(refused, "X-MBX-USED-WEIGHT-1M") == "14");
}

TEST_CASE("who keeps coming during the penalty is banned, and longer the more he comes") {
    Visitor visitor({"--limit", "weight=1/1m", "--ban-after", "3", "--ban-base", "10s"});
    visitor.get(0s, "/x");
    CHECK(visitor.get(1s, "/x").status == 429);
    CHECK(visitor.get(2s, "/x").status == 429);
    const Reply banned = visitor.get(3s, "/x");
    CHECK(banned.status == 418);
    CHECK(header_of(banned, "Retry-After") == "10");
    CHECK(contains(banned.body, "IP banned until 1893456013000."));
    const Reply again = visitor.get(5s, "/free?weight=0");
    CHECK(again.status == 418);
    CHECK(header_of(again, "Retry-After") == "20");
    CHECK(visitor.get(25s - 1ns, "/x").status == 418);
    CHECK(visitor.get(25s + 40s, "/x").status == 200);
}

TEST_CASE("a wait is named as a header, as a date or not at all") {
    const std::vector<std::string> limit{"--limit", "weight=1/1m", "--retry-after"};
    const auto retry_after = [&](const std::string& style) {
        auto arguments = limit;
        arguments.push_back(style);
        Visitor visitor(arguments);
        visitor.get(1ms, "/x");
        return header_of(visitor.get(1ms, "/x"), "Retry-After");
    };
    CHECK(retry_after("header") == "60");
    CHECK(retry_after("date") == "Tue, 01 Jan 2030 00:01:00 GMT");
    CHECK(retry_after("none").empty());
}

TEST_CASE("an injected ban stops everybody until its end and is not extended") {
    Visitor visitor({"--limit", "weight=100/1m", "--inject", "at=3 status=418 retry_after=2s"});
    CHECK(visitor.get(0s, "/x").status == 200);
    CHECK(visitor.get(0s, "/x").status == 200);
    const Reply first = visitor.get(1s, "/x");
    CHECK(first.status == 418);
    CHECK(header_of(first, "Retry-After") == "2");
    CHECK(visitor.get(2s, "/x").status == 418);
    CHECK(visitor.get(3s - 1ns, "/x").status == 418);
    CHECK(visitor.get(3s, "/x").status == 200);
    REQUIRE(visitor.venue().bans().records().size() == 1);
    CHECK(visitor.venue().bans().records()[0].arrivals == 2);
    CHECK(visitor.venue().bans().records()[0].last_arrival == at(3s - 1ns));
}

TEST_CASE("an injected ban at a time has begun when the first request comes") {
    Visitor visitor({"--inject", "at_time=1s status=418 retry_after=4s"});
    CHECK(visitor.get(1s - 1ns, "/x").status == 200);
    const Reply banned = visitor.get(2s, "/x");
    CHECK(banned.status == 418);
    CHECK(header_of(banned, "Retry-After") == "3");
    CHECK(visitor.get(5s, "/x").status == 200);

    Visitor late({"--inject", "at_time=1s status=418 retry_after=4s"});
    CHECK(late.get(6s, "/x").status == 200);
}

TEST_CASE("an injected fault is neither charged nor applied") {
    Visitor visitor({"--limit", "weight=100/1m", "--inject", "at=1 status=504"});
    const Reply fault = visitor.send(0s, "POST", "/api/v3/order?symbol=A&side=BUY&type=LIMIT");
    CHECK(fault.status == 504);
    CHECK(code_of(fault) == -1007);
    CHECK(header_of(fault, "Retry-After").empty());
    CHECK(visitor.venue().orders().placed() == 0);
    CHECK(header_of(visitor.get(1s, "/x"), "X-MBX-USED-WEIGHT-1M") == "1");
}

TEST_CASE("bybit answers what is over with 403 and restarts its ten minutes each time") {
    Visitor visitor({"--preset", "bybit"});
    for (int i = 0; i < 600; ++i) REQUIRE(visitor.get(1s, "/v5/market/time").status == 200);
    const Reply banned = visitor.get(2s, "/v5/market/time");
    CHECK(banned.status == 403);
    CHECK(banned.body == "403, access too frequent");
    CHECK(header_of(banned, "Retry-After").empty());
    CHECK(visitor.get(2s + 599s, "/").status == 403);
    CHECK(visitor.get(2s + 600s, "/").status == 403);
    const Reply open = visitor.get(2s + 1200s, "/");
    CHECK(open.status == 200);
    CHECK(header_of(open, "X-Bapi-Limit") == "600");
    CHECK(header_of(open, "X-Bapi-Limit-Status") == "599");
    CHECK(header_of(open, "X-Bapi-Limit-Reset-Timestamp") == "1893457202000");
}

TEST_CASE("the binance preset weighs depth by its limit and counts orders per account") {
    Visitor visitor({"--preset", "binance-spot"});
    const Reply depth = visitor.get(0s, "/api/v3/depth?limit=5000");
    CHECK(header_of(depth, "X-MBX-USED-WEIGHT-1M") == "250");
    CHECK(header_of(depth, "X-MBX-USED-RAW-5M") == "1");
    CHECK(header_of(depth, "X-MBX-ORDER-COUNT-10S").empty());
    const Reply order =
        visitor.send(0s, "POST", "/api/v3/order?symbol=ABCUSDT&side=BUY&type=LIMIT&quantity=1",
                     {{"X-Account", "main"}});
    CHECK(order.status == 200);
    CHECK(header_of(order, "X-MBX-ORDER-COUNT-10S") == "1");
    CHECK(json::parse(order.body)["status"] == "NEW");
    const auto info = json::parse(visitor.get(0s, "/api/v3/exchangeInfo").body);
    CHECK(info["rateLimits"][1] == json{{"rateLimitType", "RAW_REQUESTS"},
                                        {"interval", "MINUTE"},
                                        {"intervalNum", 5},
                                        {"limit", 61'000}});
}

TEST_CASE("order routes answer in the venue's codes") {
    Visitor visitor(std::vector<std::string>{});
    const std::string order = "/api/v3/order?symbol=A&side=BUY&type=LIMIT&newClientOrderId=bot-1";
    CHECK(visitor.send(0s, "POST", order).status == 200);
    const Reply duplicate = visitor.send(1s, "POST", order);
    CHECK(duplicate.status == 400);
    CHECK(duplicate.body == R"({"code":-2010,"msg":"Duplicate order sent."})");
    const std::string name = "/api/v3/order?symbol=A&origClientOrderId=bot-1";
    CHECK(json::parse(visitor.get(2s, name).body)["orderId"] == 1);
    CHECK(json::parse(visitor.get(2s, "/api/v3/openOrders").body).size() == 1);
    CHECK(json::parse(visitor.send(3s, "DELETE", name).body)["status"] == "CANCELED");
    CHECK(code_of(visitor.send(4s, "DELETE", name)) == -2011);
    CHECK(code_of(visitor.get(4s, "/api/v3/order?symbol=A&orderId=99")) == -2013);
    CHECK(code_of(visitor.get(4s, "/api/v3/order?symbol=A&orderId=x")) == -1102);
    CHECK(code_of(visitor.get(4s, "/api/v3/order?symbol=A")) == -1102);
    CHECK(code_of(visitor.send(4s, "POST", "/api/v3/order?symbol=A&side=BUY")) == -1102);
}

TEST_CASE("a lost answer was applied and charged, a lost request was not") {
    const std::string order = "/api/v3/order?symbol=A&side=BUY&type=LIMIT";
    Visitor answers({"--limit", "weight=10/1m", "--lose-answer", "1"});
    CHECK(answers.send(0s, "POST", order).closes_unanswered());
    CHECK(answers.venue().orders().placed() == 1);
    CHECK(header_of(answers.get(1s, "/x"), "X-MBX-USED-WEIGHT-1M") == "2");

    Visitor requests({"--limit", "weight=10/1m", "--lose-request", "1"});
    CHECK(requests.send(0s, "POST", order).closes_unanswered());
    CHECK(requests.venue().orders().placed() == 0);
    CHECK(header_of(requests.get(1s, "/x"), "X-MBX-USED-WEIGHT-1M") == "1");

    Visitor slow({"--slow-order", "1:3s", "--latency", "1ms"});
    CHECK(slow.send(0s, "POST", order).delay == 3s + 1ms);
    CHECK(slow.get(0s, "/x").delay == 1ms);
}

TEST_CASE("an unreadable cost is an error of the request and costs nothing") {
    Visitor visitor({"--limit", "weight=10/1m"});
    CHECK(visitor.get(0s, "/x?weight=many").status == 400);
    CHECK(header_of(visitor.get(0s, "/x"), "X-MBX-USED-WEIGHT-1M") == "1");
}

TEST_CASE("a limit can be changed while the venue is open") {
    Visitor visitor({"--limit", "weight=10/1m"});
    visitor.get(0s, "/x?weight=5");
    visitor.venue().change_limit("weight", 5, 0, at(1s));
    CHECK(visitor.get(1s, "/x").status == 429);
    visitor.venue().change_limit("weight", 6, 0, at(2s));
    CHECK(visitor.get(2s, "/x").status == 200);
    CHECK_THROWS_AS(visitor.venue().change_limit("wait", 6, 0, at(2s)), InvalidText);
    CHECK_THROWS_AS(visitor.venue().change_limit("weight", 0, 0, at(2s)), InvalidText);
    CHECK_THROWS_AS(visitor.venue().change_limit("weight", 6, 1, at(2s)), InvalidText);
}

TEST_CASE("a failed order is answered by a bare 504, and was applied or not") {
    Visitor visitor({"--fail-order", "1"});
    for (int i = 0; i < 100; ++i) {
        const std::string id = "f-" + std::to_string(i);
        const auto reply = visitor.send(
            0s, "POST", "/api/v3/order?symbol=A&side=BUY&type=LIMIT&newClientOrderId=" + id);
        CHECK(reply.status == 504);
        CHECK(reply.body.empty());
    }
    CHECK(visitor.venue().orders().placed() > 25);
    CHECK(visitor.venue().orders().placed() < 75);
}

TEST_CASE("an order that is handled twice gets the second answer: the venue knows it already") {
    Visitor visitor({"--duplicate-order", "1"});
    const auto limit =
        visitor.send(0s, "POST", "/api/v3/order?symbol=A&side=BUY&type=LIMIT&newClientOrderId=d-1");
    CHECK(limit.status == 400);
    CHECK(contains(limit.body, "Duplicate order sent."));
    CHECK(visitor.venue().orders().placed() == 1);
    visitor.send(0s, "POST", "/api/v3/order?symbol=A&side=BUY&type=MARKET&newClientOrderId=d-2");
    CHECK(visitor.venue().orders().placed() == 3);  // a filled order frees its id
}

TEST_CASE("a hidden order is found once its time has passed") {
    Visitor visitor({"--hide-order", "1:2s"});
    visitor.send(0s, "POST", "/api/v3/order?symbol=A&side=BUY&type=LIMIT&newClientOrderId=h-1");
    const std::string lookup = "/api/v3/order?symbol=A&origClientOrderId=h-1";
    CHECK(visitor.send(1s, "GET", lookup).status == 400);
    CHECK(visitor.send(2s, "GET", lookup).status == 200);
}
