// SPDX-License-Identifier: Apache-2.0
//
// Both Krakens: counters that decay, errors inside HTTP 200 (sections 5 and 6).
#include "support/catch.hpp"
#include "venue/payload.hpp"

using namespace ratecoord::testing;

// B19: a second that is named without its parts is over when the next one begins.
TEST_CASE("5: Kraken's three refusals concern three pools") {
    check(profile_of("kraken-spot"),
          {{"5 REST",
            "private",
            200,
            {},
            R"({"error":["EAPI:Rate limit exceeded"]})",
            "pause key:account 3031ms fallback; signal counter-exceeded"},
           {"5 engine",
            "order",
            200,
            {},
            R"({"error":["EOrder:Rate limit exceeded"]})",
            "pause key:account-pair 1s fallback; signal engine-exceeded"},
           {"5 open orders",
            "order",
            200,
            {},
            R"({"error":["EOrder:Orders limit exceeded"]})",
            "rejected request; signal too-many-open-orders"},
           {"5 throttled",
            "order",
            200,
            {},
            R"({"error":["EService: Throttled: 1893456012"]})",
            "pause address 13s text; signal throttled"},
           {"5 lockout",
            "private",
            200,
            {},
            R"({"error":["EGeneral:Temporary lockout"]})",
            "pause key:account 900s fixed; signal lockout"},
           {"5 lockout of an order's key",
            "order",
            200,
            {},
            R"({"error":["EGeneral:Temporary lockout"]})",
            "auth request; signal lockout-elsewhere"},
           {"5 deadline",
            "order",
            200,
            {},
            R"({"error":["EService:Deadline elapsed"],"result":{}})",
            "rejected request; signal deadline-elapsed"},
           {"5 unavailable",
            "order",
            200,
            {},
            R"({"error":["EService:Unavailable"]})",
            "unknown-outcome request; signal unavailable"}});
}

TEST_CASE("5: Kraken's frames carry counter and error in their own way; any error is no success") {
    check(
        profile_of("kraken-spot"),
        {{"5 executions",
          "order",
          0,
          {},
          R"({"channel":"executions","type":"update","sequence":41,"data":[{"order_id":"OAAAAA-BBBBB-CCCCCC","exec_type":"new","order_status":"new","symbol":"ABC/USD","ratecounter":37}]})",
          "ok request; engine 23 left"},
         {"5 refused frame",
          "order",
          0,
          {},
          R"({"method":"add_order","req_id":88,"success":false,"error":"EOrder:Rate limit exceeded","time_in":"2030-01-01T00:00:05.000000Z","time_out":"2030-01-01T00:00:05.000400Z"})",
          "pause key:account-pair 1s fallback; signal engine-exceeded-frame"},
         {"5 message rate",
          "order",
          0,
          {},
          R"({"errorMessage":"Exceeded msg rate","event":"error"})",
          "retry-later request 5s fixed; signal message-rate"},
         {"any other error is no success",
          "order",
          200,
          {},
          R"({"error":["EOrder:Insufficient funds"]})",
          "rejected request; signal refused"},
         {"no error", "private", 200, {}, R"({"error":[],"result":{}})", "ok request; signal done"},
         {"no error, in other words",
          "private",
          200,
          {},
          R"({"result":{}, "error": [] })",
          "ok request"}});
}

TEST_CASE("6: Kraken Futures refuses in the body; a batch of 2 costs 11") {
    const auto futures = profile_of("kraken-futures");
    check(
        futures,
        {{"6 refused",
          "order",
          200,
          {},
          R"({"result":"error","serverTime":"2030-01-01T00:00:07.321Z","error":"apiLimitExceeded"})",
          "pause key:account 10s fallback; signal derivatives-exceeded"},
         {"6 refused history",
          "history",
          400,
          {},
          R"({"result":"error","serverTime":"2030-01-01T00:00:07.321Z","error":"apiLimitExceeded"})",
          "pause key:account-history 60s fixed; signal history-exceeded"},
         {"6 batch",
          "batch-orders",
          200,
          {},
          R"({"result":"success","serverTime":"2030-01-01T00:00:07.100Z","batchStatus":[{"status":"placed","order_tag":"1","order_id":"f00d"},{"status":"placed","order_tag":"2","order_id":"f00e"}]})",
          "ok request; signal done"}});
    CHECK(cost_of(futures, "batch-orders", {{"orders", 2}}) == "derivatives 11");
}
