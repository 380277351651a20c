// SPDX-License-Identifier: Apache-2.0
//
// Bitget, KuCoin, Gate, MEXC and Polymarket: counted per endpoint or pool (sections 10 to 14).
#include "support/catch.hpp"
#include "venue/payload.hpp"

using namespace ratecoord::testing;
using std::chrono::milliseconds;

TEST_CASE("10: what Bitget calls used is what is left; a 429 without it stops the address") {
    check(profile_of("bitget"),
          {{"10",
            "order",
            200,
            {{"x-mbx-used-remain-limit", "6"}},
            R"({"code":"00000","msg":"success"})",
            "ok request; place 6 left; signal done"},
           {"10 refused",
            "order",
            429,
            {},
            R"({"code":"429","msg":"Too Many Requests","requestTime":1893456000123,"data":null})",
            "pause address 300s fixed; signal address-exceeded"},
           {"10 refused by its endpoint",
            "order",
            429,
            {{"x-mbx-used-remain-limit", "0"}},
            R"({"code":"429","msg":"Too Many Requests","requestTime":1893456000123,"data":null})",
            "pause key:account 1s fixed; place 0 left; signal orders-exceeded"},
           {"10 frame",
            "ws-message",
            0,
            {},
            R"({"event":"error","code":30007,"msg":"request over limit, connection close"})",
            "retry-later request 1s fixed; signal ws-exceeded"},
           {"10 release window",
            "order",
            200,
            {},
            R"({"code":"45001","msg":"Unknown error","requestTime":1893456000456,"data":null})",
            "retry-later request 1s fixed; signal release-window"}});
}

TEST_CASE("11: KuCoin's reset is a countdown, and its headers tell own use from overload") {
    const char* body =
        R"({"code":"429000","msg":"Too many requests in a short period of time, please retry later"})";
    check(profile_of("kucoin"),
          {{"11.1",
            "spot-order",
            200,
            {{"gw-ratelimit-limit", "3600"},
             {"gw-ratelimit-remaining", "3122"},
             {"gw-ratelimit-reset", "18250"}},
            R"({"code":"200000","data":{}})",
            "ok request; spot 3122 left; signal done"},
           {"11.2",
            "spot-order",
            429,
            {{"gw-ratelimit-limit", "3600"},
             {"gw-ratelimit-remaining", "0"},
             {"gw-ratelimit-reset", "9400"}},
            body,
            "pause key:account 9400ms header; spot 0 left; signal spot-exceeded"},
           {"11.3",
            "spot-order",
            429,
            {},
            body,
            "overload request 1s fixed; cost edge 0; cost spot 0; signal server-overload"}});
}

// B19: a second that is named without its parts is over when the next one begins.
TEST_CASE("12: Gate's reset is read by its size, and no wait where it is now") {
    const char* body = R"({"label":"TOO_MANY_REQUESTS","message":"Request Rate Limit Exceeded"})";
    const auto refused = [&](const char* reset) {
        return std::vector<std::pair<std::string, std::string>>{
            {"X-Gate-RateLimit-Requests-Remain", "0"},
            {"X-Gate-RateLimit-Limit", "10"},
            {"X-Gate-RateLimit-Reset-Timestamp", reset}};
    };
    check(
        profile_of("gate"),
        {{"12",
          "spot-order",
          200,
          {{"X-Gate-RateLimit-Requests-Remain", "8"},
           {"X-Gate-RateLimit-Limit", "10"},
           {"X-Gate-RateLimit-Reset-Timestamp", "1893456000"}},
          "{}",
          "ok request; spot-orders 8 left"},
         {"12 refused", "spot-order", 429, refused("1893456001"), body,
          "pause key:account-market 2s header; spot-orders 0 left; signal spot-orders-exceeded"},
         {"12 in ms", "spot-order", 429, refused("1893456001000"), body,
          "pause key:account-market 1s header; spot-orders 0 left; signal spot-orders-exceeded"},
         {"12 now", "spot-order", 429, refused("1893456000"), body,
          "pause key:account-market 1s fallback; spot-orders 0 left; signal spot-orders-exceeded"},
         {"12 now, public", "public", 429, refused("1893456000"), body,
          "pause key:endpoint 10s fallback; public 0 left; signal endpoint-exceeded"}});
}

TEST_CASE("13: MEXC waits for Retry-After, and its futures refuse inside HTTP 200") {
    check(
        profile_of("mexc"),
        {{"13",
          "public",
          429,
          {{"Retry-After", "4"}},
          R"({"code":429,"msg":"Too Many Requests"})",
          "pause address 4s retry-after; signal rate"},
         {"13 ban",
          "public",
          418,
          {{"Retry-After", "300"}},
          "",
          "ban address 300s retry-after; signal ip-ban"},
         {"13 futures",
          "futures",
          200,
          {},
          R"({"success":false,"code":510,"message":"Requests are too frequent, please try again later"})",
          "pause key:endpoint 2s fallback; signal futures-exceeded"}});
}

TEST_CASE(
    "14: Polymarket's 429, 425 and 503 mean three things, a page of the edge the first of them") {
    check(profile_of("polymarket"),
          // A reply does not carry how long it was held back; observe measures that.
          {{"14.1", "book", 200, {}, "{}", "ok request", milliseconds(2600)},
           {"14.2 429",
            "order",
            429,
            {},
            R"({"error":"Too Many Requests"})",
            "pause address 10s fallback; signal rate"},
           {"14.2 425",
            "order",
            425,
            {},
            R"({"error":"Too Early"})",
            "retry-later request 1s fixed; signal engine-restart"},
           {"14.2 503",
            "order",
            503,
            {},
            R"({"error":"Trading is currently disabled. Check status."})",
            "overload request 5s fixed; signal trading-off"},
           {"14.2 503 of something else", "order", 503, {}, "", "unknown-outcome request"},
           {"14.3",
            "order",
            429,
            {{"Content-Type", "text/html"}},
            "<html><body>error code: 1015</body></html>",
            "pause address 10s fallback; signal rate"}});
}
