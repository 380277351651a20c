// SPDX-License-Identifier: Apache-2.0
//
// Coinbase, Hyperliquid, Deribit, Kalshi, Alpaca and Interactive Brokers (sections 7 to 9 and 15 to
// 17).
#include "core/rule.hpp"
#include "support/catch.hpp"
#include "venue/payload.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("7: Coinbase names no wait; a repeated id at Advanced is the same order") {
    const auto advanced = profile_of("coinbase-advanced");
    const char* exceeded =
        R"({"errors":[{"id":"rate_limit_exceeded","message":"Too many requests"}]})";
    check(
        advanced,
        {{"7 user",
          "order",
          429,
          {},
          exceeded,
          "pause key:account 600s fallback; signal user-exceeded"},
         {"7 public",
          "public",
          429,
          {},
          exceeded,
          "pause address 1s fallback; signal public-exceeded"},
         {"7 unknown", "", 429, {}, exceeded, "pause address 1s fallback; signal rate"},
         {"7 repeated id",
          "order",
          200,
          {},
          R"({"success":true,"success_response":{"order_id":"aa-01","product_id":"ABC-USD","side":"BUY","client_order_id":"bot3-000020"}})",
          "ok request"}});
    CHECK(advanced.orders().resend_within > seconds(0));
    check(profile_of("coinbase-exchange"),
          {{"7 Exchange",
            "public",
            429,
            {},
            R"({"message":"Public rate limit exceeded"})",
            "pause address 1s fallback; signal public-exceeded"},
           {"7 Exchange private",
            "order",
            429,
            {},
            "{}",
            "pause key:profile 1s fallback; signal private-exceeded"}});
}

TEST_CASE(
    "8.1 to 8.3: a spent budget of a Hyperliquid wallet stops the wallet, a 429 the address") {
    check(
        profile_of("hyperliquid"),
        {{"8.1",
          "order",
          200,
          {},
          R"({"status":"err","response":"Too many cumulative requests sent (18254 > 18249) for cumulative volume traded $8249.31. Place taker orders to free up 1 request per USDC traded."})",
          "pause key:account 10s fixed; cost weight 0; cost actions 0; signal address-budget"},
         {"8.1 of a cancel",
          "cancel",
          200,
          {},
          R"({"status":"err","response":"Too many cumulative requests sent (1 > 0) for cumulative volume traded $0."})",
          "pause key:account-cancel 10s fixed; cost weight 0; cost cancels 0; signal "
          "cancel-budget"},
         // What a wallet has left is earned, not given back by time: no limit here counts it.
         {"8.2",
          "user-rate-limit",
          200,
          {},
          R"({"cumVlm":"8249.31","nRequestsUsed":18120,"nRequestsCap":18249,"nRequestsSurplus":0})",
          "ok request"},
         {"8.3", "order", 429, {}, "null", "pause address 60s fallback; signal rate"},
         {"8.4",
          "order",
          200,
          {},
          R"({"status":"ok","response":{"type":"order","data":{"statuses":[{"resting":{"oid":6001,"cloid":"0x0000000000000000000000000000002a"}}]}}})",
          "ok request"}});
}

TEST_CASE("8.4, 8.5: Hyperliquid's batches and long replies cost what its page says") {
    const auto profile = profile_of("hyperliquid");
    CHECK(cost_of(profile, "order") == "weight 1, actions 1");
    CHECK(cost_of(profile, "order", {{"orders", 85}}) == "weight 3, actions 85");
    CHECK(cost_of(profile, "info", {{"items", 61}}) == "weight 23");
    CHECK(cost_of(profile, "candles", {{"items", 5000}}) == "weight 103");
}

TEST_CASE("9: Deribit's limits are no counts; a refusal stops what was refused") {
    const char* exceeded =
        R"({"jsonrpc":"2.0","id":311,"error":{"code":10028,"message":"too_many_requests"},"usIn":1893456000100000,"usOut":1893456000100120,"usDiff":120,"testnet":false})";
    check(
        profile_of("deribit"),
        {{"9.1", "call", 0, {}, exceeded, "pause key:account 1s fallback; signal credits-exceeded"},
         {"9.1 of an order",
          "order",
          0,
          {},
          exceeded,
          "pause key:account-orders 1s fallback; signal orders-exceeded"},
         {"9.2",
          "call",
          0,
          {},
          R"({"jsonrpc":"2.0","id":312,"error":{"code":10066,"message":"too_many_concurrent_requests"},"testnet":false})",
          "retry-later request 1s fixed; signal too-many-at-once"},
         {"9.3",
          "account-summary",
          200,
          {},
          R"({"limits":{"non_matching_engine":{"burst":120,"rate":25},"limits_per_currency":false,
              "matching_engine":{"trading":{"total":{"burst":40,"rate":8}},"spot":{"burst":60,"rate":12}}}})",
          "ok request"},
         {"9.3 per currency",
          "account-summary",
          200,
          {},
          R"({"limits":{"non_matching_engine":{"burst":120,"rate":25},"limits_per_currency":true,
              "matching_engine":{"cancel_all":{"burst":60,"rate":12},"btc":{"trading":{"total":{"burst":40,"rate":8}}}}}})",
          "ok request"}});
}

TEST_CASE("15: Kalshi refuses without a header; a batch cancel costs 2 tokens an order") {
    const auto kalshi = profile_of("kalshi");
    check(
        kalshi,
        {{"15 write",
          "order",
          429,
          {},
          R"({"error":"too many requests"})",
          "pause key:account 1s fallback; signal writes-exceeded"},
         {"15 read",
          "read",
          429,
          {},
          R"({"error":"too many requests"})",
          "pause key:account-read 1s fallback; signal reads-exceeded"},
         {"15 limits",
          "read",
          200,
          {},
          R"({"usage_tier":"advanced","read":{"refill_rate":280,"bucket_capacity":560},"write":{"refill_rate":240,"bucket_capacity":480},"grants":[]})",
          "ok request"},
         {"15 costs",
          "read",
          200,
          {},
          R"({"default_cost":10,"endpoint_costs":[{"method":"DELETE","path":"/portfolio/events/orders/{order_id}","cost":2}]})",
          "ok request"},
         {"15 refused, nested",
          "order",
          400,
          {},
          R"({"error":{"code":"invalid_order","message":"own text"}})",
          "rejected request"},
         {"15 refused, top",
          "order",
          409,
          {},
          R"({"code":"unreadable_body_example","message":"own text","details":"own text"})",
          "rejected request"},
         {"15 unknown",
          "order",
          408,
          {},
          R"({"error":{"code":"-","message":"own text"}})",
          "unknown-outcome request"},
         {"15 unknown 5xx", "order", 502, {}, "", "unknown-outcome request"},
         {"15 frame",
          "read",
          0,
          {},
          R"({"id":3,"type":"error","msg":{"code":26,"msg":"own text"}})",
          "retry-later request 1s fixed; signal ws-refused"}});
    CHECK(cost_of(kalshi, "batch-cancel", {{"orders", 25}}) == "write 50");
}

TEST_CASE("15: 36 tokens that are missing take 150 ms at 240 a second") {
    const auto record = core::to_record({.name = "write",
                                         .kind = LimitKind::bucket,
                                         .quota = 240,
                                         .window = seconds(1),
                                         .burst = 480});
    const auto rule = core::compile(std::get<core::LimitRecord>(record));
    CHECK(rule.lane[0].bucket.time(50 - 14) == 150'000'000);
}

// B19: a second that is named without its parts is over when the next one begins.
TEST_CASE("16: Alpaca's reset is in seconds since 1970, and its order ids are unique for good") {
    const auto alpaca = profile_of("alpaca");
    check(alpaca, {{"16",
                    "order",
                    429,
                    {{"X-RateLimit-Limit", "180"},
                     {"X-RateLimit-Remaining", "0"},
                     {"X-RateLimit-Reset", "1893456031"}},
                    R"({"code":42910000,"message":"rate limit exceeded"})",
                    "pause key:account 32s header; trading 0 left; signal trading-exceeded"},
                   {"16 data",
                    "data",
                    429,
                    {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1893456031"}},
                    "",
                    "pause key:data-account 32s header; data 0 left; signal data-exceeded"},
                   {"16 duplicate",
                    "order",
                    422,
                    {},
                    R"({"code":40010001,"message":"client_order_id must be unique"})",
                    "rejected request; duplicate; signal duplicate-order"}});
    CHECK(alpaca.orders().uniqueness == IdUniqueness::always);
}

TEST_CASE("17: one username in IBKR's penalty box stops every process for 15 minutes") {
    check(profile_of("ibkr"), {{"17",
                                "order",
                                429,
                                {},
                                R"({"error":"Too many requests"})",
                                "ban address 900s fixed; signal penalty-box"},
                               {"17 with a shorter word",
                                "order",
                                429,
                                {{"Retry-After", "1"}},
                                "",
                                "ban address 900s fixed; signal penalty-box"}});
}
