// SPDX-License-Identifier: Apache-2.0
//
// Public cases whose outcome is what a profile makes of a reply. What happens then to other
// processes is tested where it happens.
#include "support/catch.hpp"
#include "venue/payload.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("A07: the venue's count is read whatever the call was thought to cost") {
    check(profile_of("binance-spot"),
          {{"A07",
            "account",
            200,
            {{"X-MBX-USED-WEIGHT-1M", "2400"}, {"Date", "Tue, 01 Jan 2030 00:00:30 GMT"}},
            "{}",
            "ok request; weight 2400 used",
            seconds(30)}});
}

TEST_CASE("A10: a depth snapshot costs what its limit says, without one what the default says") {
    const auto spot = profile_of("binance-spot");
    const std::pair<std::uint64_t, const char*> table[] = {
        {1, "5"},     {100, "5"},    {101, "25"},   {500, "25"},   {501, "50"},
        {1000, "50"}, {1001, "250"}, {5000, "250"}, {5001, "250"},
    };
    for (const auto& [limit, weight] : table) {
        INFO(limit);
        CHECK(cost_of(spot, "depth", {{"limit", limit}}) ==
              "weight " + std::string(weight) + ", raw 1");
    }
    CHECK(cost_of(spot, "depth") == "weight 5, raw 1");
    CHECK(cost_of(spot, "open-orders") == "weight 80, raw 1");
    CHECK(cost_of(spot, "open-orders", {{"symbol"}}) == "weight 6, raw 1");
    CHECK(cost_of(spot, "ticker-24hr") == "weight 80, raw 1");
    CHECK(cost_of(spot, "ticker-24hr", {{"symbols", 20}}) == "weight 2, raw 1");
    CHECK(cost_of(spot, "ticker-24hr", {{"symbols", 21}}) == "weight 40, raw 1");
    CHECK(cost_of(spot, "ticker", {{"symbols", 3}}) == "weight 12, raw 1");
    CHECK(cost_of(spot, "ticker", {{"symbols", 51}}) == "weight 200, raw 1");
}

TEST_CASE("A10: a cost that depends on what the caller does not say is refused, not guessed") {
    CHECK_FALSE(profile_of("okx").cost("batch-orders"));
    CHECK_FALSE(profile_of("binance-usdm").cost("request"));
    CHECK_FALSE(profile_of("hyperliquid").cost("info"));
    CHECK_FALSE(profile_of("binance-spot").cost("depth", {{"depth", 5000}}));
}

TEST_CASE("A13: a page of the edge holds the address; a wrong key holds nobody") {
    const std::string page =
        "<HTML><HEAD><TITLE>ERROR: The request could not be satisfied</TITLE></HEAD>" +
        std::string(4096, 'x');
    check(profile_of("binance-spot"),
          {{"A13 (a)",
            "depth",
            403,
            {{"Content-Type", "text/html"}},
            page,
            "pause address 60s fallback"},
           {"A13 (b)",
            "depth",
            429,
            {{"Content-Type", "text/html"}},
            page,
            "pause address 35s fallback; signal rate",
            seconds(25)},
           {"A13 (c)", "connect", 403, {}, "", "pause address 60s fallback"},
           {"A13 (d)",
            "account",
            403,
            {},
            R"({"code":-2015,"msg":"Invalid API-key, IP, or permissions for action."})",
            "auth request; signal wrong-key"}});
}

TEST_CASE("A14: Bybit's word for too fast means ten minutes, with whatever else is around it") {
    check(profile_of("bybit"), {{"A14",
                                 "market-data",
                                 403,
                                 {},
                                 "403, access too frequent",
                                 "ban address 600s fixed; signal ip-ban"},
                                {"A14, a page",
                                 "market-data",
                                 403,
                                 {{"Content-Type", "text/html"}},
                                 "<html><body>Access Too Frequent</body></html>",
                                 "ban address 600s fixed; signal ip-ban"},
                                {"A14, a shorter wait",
                                 "market-data",
                                 403,
                                 {{"Retry-After", "3"}},
                                 "access too frequent",
                                 "ban address 600s retry-after; signal ip-ban"}});
}

TEST_CASE("A16: the end of a futures ban is the number behind its words, never one in brackets") {
    const auto usdm = profile_of("binance-usdm");
    for (const char* address : {"IP(203.0.113.7)", "IP(2001:db8::1234:5678:9abc)", "IP(***)",
                                "IP(203.0.113.7:1615183669)", "IP"}) {
        const auto body = R"({"code":-1003,"msg":"Way too many requests; )" + std::string(address) +
                          " banned until 1893456669840. Please use the websocket for live "
                          "updates to avoid bans.\"}";
        check(usdm, {{"A16", "request", 418, {}, body, "ban address 669840ms text; signal ip-ban"},
                     {"A16 as a 429",
                      "request",
                      429,
                      {},
                      body,
                      "ban address 669840ms text; signal ip-ban-text"}});
    }
    check(
        usdm,
        {{"A16, over already",
          "request",
          418,
          {},
          R"({"code":-1003,"msg":"Way too many requests; IP(1.2.3.4) banned until 1615183669840."})",
          "ban address 120s fallback; signal ip-ban"}});
}

TEST_CASE("A19: a ban is taken at its full length") {
    check(profile_of("binance-spot"),
          {{"A19",
            "depth",
            418,
            {{"Retry-After", "720"}},
            "",
            "ban address 720s retry-after; signal ip-ban"},
           {"A19, three days",
            "depth",
            418,
            {{"Retry-After", "259200"}},
            "",
            "ban address 259200s retry-after; signal ip-ban"},
           {"A19, ten days",
            "depth",
            418,
            {{"Retry-After", "864000"}},
            "",
            "ban address 259200s retry-after; clamped; signal ip-ban"}});
}

TEST_CASE("A26: a rejected order is no reason to send it again, with any venue") {
    check(profile_of("binance-spot"),
          {{"A26",
            "order",
            400,
            {},
            R"({"code":-2010,"msg":"Account has insufficient balance for requested action."})",
            "rejected request"}});
    check(profile_of("bybit"), {{"A26",
                                 "spot-create",
                                 200,
                                 {},
                                 R"({"retCode":170131,"retMsg":"Balance insufficient"})",
                                 "rejected request; signal refused"}});
    check(
        profile_of("okx"),
        {{"A26",
          "order",
          200,
          {},
          R"({"code":"1","msg":"","data":[{"ordId":"","sCode":"51008","sMsg":"Insufficient balance"}]})",
          "rejected request; signal refused"}});
    check(profile_of("kraken-spot"), {{"A26",
                                       "order",
                                       200,
                                       {},
                                       R"({"error":["EOrder:Insufficient funds"]})",
                                       "rejected request; signal refused"}});
}

TEST_CASE("A27: a 429 for orders stops the account, one of /sapi its endpoint, an unread one all") {
    const char* orders =
        R"({"code":-1015,"msg":"Too many new orders; current limit is 100 orders per TEN_SECONDS."})";
    check(profile_of("binance-spot"),
          {{"A27 (a)",
            "order",
            429,
            {{"Retry-After", "7"}},
            orders,
            "pause key:account 7s retry-after; signal orders-10s-exceeded"},
           {"A27 (b)",
            "order",
            429,
            {},
            orders,
            "pause key:account 6500ms fallback; signal orders-10s-exceeded",
            milliseconds(13500)},
           {"A27 (c)",
            "sapi",
            429,
            {},
            R"({"code":-1003,"msg":"Too many requests; current request has limited."})",
            "pause key:sapi-endpoint 60s fallback; signal sapi-endpoint-exceeded"},
           {"A27, no body",
            "order",
            429,
            {{"Retry-After", "7"}},
            "",
            "pause address 7s retry-after; signal rate"}});
}

TEST_CASE("A27: what cancels and reads draw on is not what a stopped account's orders draw on") {
    const auto spot = profile_of("binance-spot");
    for (const char* operation : {"cancel", "cancel-all", "order-status", "depth"}) {
        const auto costs = spot.cost(operation);
        REQUIRE(costs);
        for (const auto& cost : *costs) CHECK(cost.per.empty());
    }
}

TEST_CASE("B16: seconds, milliseconds and countdowns are each read as what they are") {
    const auto read_as = [](const char* wait) {
        return Profile::parse(std::string(R"(
schema = 1
name = "units"
title = "units"
as_of = 2030-01-01
source = "this test"
confidence = "C"
[limits.calls]
kind = "rolling"
quota = 10
window = "1m"
[operations.call]
intent = "read"
cost = { calls = 1 }
[[signals]]
name = "slow-down"
status = 429
action = "pause"
wait = )") + wait,
                              "units.toml");
    };
    const auto seconds_only = read_as(R"([{ from = "retry-after" }])");
    REQUIRE(seconds_only);
    check(*seconds_only, {{"B16",
                           "call",
                           429,
                           {{"Retry-After", "30"}},
                           "",
                           "pause address 30s retry-after; signal slow-down"},
                          {"B16, the body is not named",
                           "call",
                           429,
                           {{"Retry-After", "1"}},
                           R"({"retry_after":555})",
                           "pause address 1s retry-after; signal slow-down"}});
    const auto in_ms = read_as(
        R"([{ from = "header", name = "retry-after-ms", unit = "countdown-ms" }, { from = "retry-after" }])");
    REQUIRE(in_ms);
    check(*in_ms, {{"B16",
                    "call",
                    429,
                    {{"retry-after-ms", "1500"}, {"Retry-After", "2"}},
                    "",
                    "pause address 1500ms header; signal slow-down"}});
    const auto in_body = read_as(
        R"([{ from = "retry-after" }, { from = "body", at = "/retry_after", unit = "countdown-ms" }])");
    REQUIRE(in_body);
    check(*in_body, {{"B16, the header wins",
                      "call",
                      429,
                      {{"Retry-After", "1"}},
                      R"({"retry_after":555})",
                      "pause address 1s retry-after; signal slow-down"},
                     {"B16, the body alone",
                      "call",
                      429,
                      {},
                      R"({"retry_after":5550})",
                      "pause address 5550ms body; signal slow-down"}});
}
