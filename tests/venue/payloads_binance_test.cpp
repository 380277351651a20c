// SPDX-License-Identifier: Apache-2.0
//
// Binance's replies, block by block of the collected payloads (sections 1 and 2).
#include "support/catch.hpp"
#include "venue/payload.hpp"

using namespace ratecoord::testing;
using std::chrono::seconds;

TEST_CASE("1.2, 1.12, 1.7: Spot's counts are read from headers, frames and its query") {
    check(
        profile_of("binance-spot"),
        {{"1.2",
          "order",
          200,
          {{"Content-Type", "application/json;charset=UTF-8"},
           {"x-mbx-used-weight", "137"},
           {"x-mbx-used-weight-1m", "137"},
           {"x-mbx-order-count-10s", "6"},
           {"x-mbx-order-count-1d", "842"},
           {"Date", "Tue, 01 Jan 2030 00:00:03 GMT"}},
          "{}",
          "ok request; weight 137 used; orders-10s 6 used; orders-1d 842 used; cost weight 0"},
         {"1.12",
          "order",
          0,
          {},
          R"({"id":"b1","status":200,"result":{"symbol":"ABCUSDT","orderId":7002},"rateLimits":[
               {"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10,"limit":70,"count":12},
               {"rateLimitType":"ORDERS","interval":"DAY","intervalNum":1,"limit":123000,"count":851},
               {"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":4200,"count":319}]})",
          "ok request; weight 319 used; orders-10s 12 used; orders-1d 851 used; cost weight 0"},
         {"1.12 without counts",
          "order",
          0,
          {},
          R"({"id":"b1","status":200,"result":{"symbol":"ABCUSDT","orderId":7002}})",
          "ok request; cost weight 0"},
         {"1.7",
          "order-count",
          200,
          {},
          R"([{"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10,"limit":70,"count":9},
                {"rateLimitType":"ORDERS","interval":"DAY","intervalNum":1,"limit":123000,"count":842}])",
          "ok request; orders-10s 9 used; orders-1d 842 used"}});
}

TEST_CASE(
    "1.3 to 1.5: a spent minute of Spot stops the address for what it names, else to its end") {
    const auto spot = profile_of("binance-spot");
    const char* spent =
        R"({"code":-1003,"msg":"Too much request weight used; current limit is 4200 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API."})";
    check(
        spot,
        {{"1.3",
          "depth",
          429,
          {{"Retry-After", "41"}, {"x-mbx-used-weight-1m", "4207"}},
          spent,
          "pause address 41s retry-after; weight 4207 used; signal weight-exceeded",
          seconds(19)},
         {"1.4, the header is later",
          "depth",
          418,
          {{"Retry-After", "179"}},
          R"({"code":-1003,"msg":"Way too much request weight used; IP banned until 1893456178000. Please use WebSocket Streams for live updates to avoid bans."})",
          "ban address 179s retry-after; signal ip-ban",
          seconds(6)},
         {"1.4, the text is later",
          "depth",
          418,
          {{"Retry-After", "172"}},
          R"({"code":-1003,"msg":"Way too much request weight used; IP banned until 1893456178000. Please use WebSocket Streams for live updates to avoid bans."})",
          "ban address 178s text; signal ip-ban"},
         {"1.5",
          "depth",
          429,
          {},
          R"({"code":-1003,"msg":"Too many requests queued."})",
          "pause address 41s fallback; signal weight-exceeded",
          seconds(19)}});
}

TEST_CASE("1.6, 1.10: spent orders of Spot stop the account, and a cancel that was done is told") {
    const char* orders =
        R"({"code":-1015,"msg":"Too many new orders; current limit is 70 orders per 10 SECOND."})";
    const std::string replaced =
        R"({"code":-2021,"msg":"Order cancel-replace partially failed.",
            "data":{"cancelResult":"SUCCESS","newOrderResult":"FAILURE","cancelResponse":{"symbol":"ABCUSDT","orderId":7001,"status":"CANCELED"},
                    "newOrderResponse":{"code":-1015,"msg":"Too many new orders; current limit is 70 orders per 10 SECOND."}}})";
    check(
        profile_of("binance-spot"),
        {{"1.6",
          "order",
          429,
          {{"Retry-After", "7"}, {"x-mbx-order-count-10s", "71"}},
          orders,
          "pause key:account 7s retry-after; orders-10s 71 used; signal orders-10s-exceeded"},
         {"1.10 STOP_ON_FAILURE",
          "cancel-replace",
          429,
          {},
          replaced,
          "pause key:account 6s fallback; partly done; signal cancel-replace-orders-10s",
          seconds(4)},
         {"1.10 ALLOW_FAILURE",
          "cancel-replace",
          409,
          {{"Retry-After", "5"}},
          replaced,
          "pause key:account 5s retry-after; partly done; signal cancel-replace-orders-10s"},
         {"1.10 DO_NOTHING",
          "cancel-replace",
          429,
          {{"Retry-After", "7"}},
          orders,
          "pause key:account 7s retry-after; signal orders-10s-exceeded"},
         {"1.10 in a frame",
          "cancel-replace",
          0,
          {},
          R"({"id":"b4","status":409,"error":)" + replaced + "}",
          "pause key:account 6s fallback; partly done; signal cancel-replace-orders-10s-frame",
          seconds(4)},
         {"1.10, the cancel failed and the order lives",
          "cancel-replace",
          409,
          {},
          R"({"code":-2021,"msg":"-","data":{"cancelResult":"FAILURE","newOrderResult":"SUCCESS"}})",
          "rejected request; partly done; signal cancel-replace-placed"},
         {"1.6 of a day",
          "order",
          429,
          {},
          R"({"code":-1015,"msg":"Too many new orders; current limit is 123000 orders per 1 DAY."})",
          "pause key:account 3600s fixed; signal orders-1d-exceeded",
          std::chrono::hours(23)}});
}

TEST_CASE("1.8, 1.9, 1.11: unknown outcomes, refunds and the firewall of Spot") {
    check(
        profile_of("binance-spot"),
        {{"1.8",
          "order",
          504,
          {},
          R"({"code":-1007,"msg":"Timeout waiting for response from backend server. Send status unknown; execution status unknown."})",
          "unknown-outcome request; signal unknown-outcome"},
         {"1.8 without a body", "order", 504, {}, "", "unknown-outcome request"},
         {"1.8 of a read", "depth", 504, {}, "", "retry-later request"},
         {"1.9 accepted",
          "order",
          200,
          {{"x-mbx-used-weight-1m", "137"}, {"x-mbx-order-count-10s", "7"}},
          R"({"orderId":1})",
          "ok request; weight 137 used; orders-10s 7 used; cost weight 0"},
         {"1.9 refused",
          "order",
          400,
          {{"x-mbx-used-weight-1m", "138"}},
          R"({"code":-2010,"msg":"Duplicate order sent."})",
          "rejected request; weight 138 used; duplicate; signal duplicate-order"},
         {"1.11",
          "order",
          403,
          {{"Content-Type", "text/html"}},
          "<html><head><title>403 Forbidden</title></head></html>",
          "pause address 60s fallback"}});
}

TEST_CASE(
    "1.13, 1.14: frames of Spot count from the venue's clock, and a ban wins over a low count") {
    const auto spot = profile_of("binance-spot");
    check(spot, {{"1.13",
                  "depth",
                  0,
                  {},
                  R"({"id":"b2","status":429,
                "error":{"code":-1003,"msg":"Too much request weight used; current limit is 4200 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.",
                         "data":{"serverTime":1893456023500,"retryAfter":1893456060000}},
                "rateLimits":[{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":4200,"count":4201}]})",
                  "pause address 36500ms body; weight 4201 used; signal weight-exceeded-frame",
                  seconds(20)},  // our clock is 3.5 s behind
                 {"1.14",
                  "depth",
                  0,
                  {},
                  R"({"id":"b3","status":418,
                "error":{"code":-1003,"msg":"Way too much request weight used; IP banned until 1893456600000. Please use WebSocket Streams for live updates to avoid bans.",
                         "data":{"serverTime":1893456120000,"retryAfter":1893456600000}},
                "rateLimits":[{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":4200,"count":1533}]})",
                  "ban address 480s body; weight 1533 used; signal ip-ban",
                  seconds(120)}});
}

TEST_CASE("1.15 to 1.17: a shutdown is told, FIX is not JSON, connects stop only themselves") {
    check(
        profile_of("binance-spot"),
        {{"1.15",
          "stream-message",
          0,
          {},
          R"({"e":"serverShutdown","E":1893456900000})",
          "retry-later request 1s fixed; signal server-shutdown"},
         {"1.15 combined",
          "stream-message",
          0,
          {},
          R"({"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1893456900000}})",
          "retry-later request 1s fixed; signal server-shutdown-combined"},
         // A profile reads HTTP and JSON: what FIX says of limits is the FIX engine's to read.
         {"1.16",
          "fix-order",
          0,
          {},
          "8=FIX.4.4|9=210|35=XLR|25003=3|25004=2|25005=4|25006=900|25007=10|25008=s|10=000|",
          "unknown-outcome request; broken"},
         {"1.17",
          "connect",
          429,
          {},
          R"({"code":-1034,"msg":"Too many connection attempts from IP; current limit is 210 per '5m'."})",
          "retry-later request 240s fixed; signal too-many-connects",
          seconds(60)}});
}

TEST_CASE("2.2 to 2.6: the three meanings of a 503 of USD-M and COIN-M are told apart") {
    for (const char* name : {"binance-usdm", "binance-coinm"}) {
        check(
            profile_of(name),
            {{"2.2 with a code",
              "order",
              503,
              {{"x-mbx-used-weight-1m", "90"}},
              R"({"code":-1000,"msg":"Unknown error, please check your request or try again later."})",
              "unknown-outcome request; weight 2310 left; signal unknown-error"},
             {"2.2 without",
              "order",
              503,
              {},
              R"({"timestamp":1893456001234,"path":"/fapi/v1/order","msg":"Unknown error, please check your request or try again later."})",
              "unknown-outcome request; signal unknown-error"},
             {"2.3",
              "order",
              503,
              {},
              R"({"code":-1001,"msg":"Service Unavailable."})",
              "overload request 200ms fixed; cost orders-10s 0; cost orders-1m 0; cost weight 0; "
              "signal service-unavailable"},
             {"2.4",
              "order",
              503,
              {},
              R"({"code":-1008,"msg":"Request throttled by system-level protection. Reduce-only/close-position orders are exempt. Please try again."})",
              "overload request 200ms fixed; cost orders-10s 0; cost orders-1m 0; cost weight 0; "
              "signal throttled"},
             {"2.5", "order", 408, {}, "", "unknown-outcome request"},
             {"2.6",
              "order",
              400,
              {},
              R"({"code":-4116,"msg":"ClientOrderId is duplicated."})",
              "rejected request; duplicate; signal duplicate-order"}});
    }
}

TEST_CASE("2.1: COIN-M and USD-M are one pool, whatever each of them prints") {
    const auto usdm = profile_of("binance-usdm");
    const auto coinm = profile_of("binance-coinm");
    CHECK(usdm.budget() == coinm.budget());
    CHECK(coinm.budget() != coinm.name());
    CHECK(usdm.limits() == coinm.limits());
}
