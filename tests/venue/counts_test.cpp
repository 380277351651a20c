// SPDX-License-Identifier: Apache-2.0
//
// What a reply says of the venue's counts, and of which window.
#include "venue/counts.hpp"

#include <string>

#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

venue::Reading with_weight(const std::vector<std::string_view>& values, Exchange exchange = {}) {
    for (const auto value : values) exchange.headers.push_back({"x-mbx-used-weight-1m", value});
    return read(binance(), exchange);
}

/// A profile of one limit and one feedback.
venue::Profile one(std::string_view limit, std::string_view feedback) {
    return profile_of(with_head("[limits.a]\n" + std::string(limit) +
                                "\n[[feedback]]\nlimit = \"a\"\n" + std::string(feedback)));
}

}  // namespace

TEST_CASE("a used count is read from its header, whatever its case") {
    const auto reading = with_weight({"137"});
    REQUIRE(reading.counts.size == 1);
    CHECK(reading.counts.list[0].limit == binance().find_limit("weight"));
    CHECK(reading.counts.list[0].units == 137);
    CHECK_FALSE(reading.counts.list[0].is_remaining);
    CHECK(reading.counts.list[0].at == boot_now);
}

TEST_CASE("U3: what is no count is none") {
    for (const auto* value : {"", "-1", "1e3", "1.0", "many", "9007199254740993",
                              "99999999999999999999", "0x10", "1 2"}) {
        CAPTURE(value);
        CHECK(with_weight({value}).counts.size == 0);
    }
}

TEST_CASE("of a header that stands twice the larger use counts, broken lines do not") {
    CHECK(with_weight({"137", "140"}).counts.list[0].units == 140);
    CHECK(with_weight({"140", "137"}).counts.list[0].units == 140);
    CHECK(with_weight({"-1", "137"}).counts.list[0].units == 137);
    CHECK(with_weight({"137", "137"}).counts.size == 1);
}

TEST_CASE("feedback of other operations is not read") {
    const auto orders = [](std::string_view operation) {
        return read(binance(),
                    {.headers = {{"x-mbx-order-count-10s", "6"}}, .operation = operation})
            .counts.size;
    };
    CHECK(orders("order") == 1);
    CHECK(orders("ping") == 0);
    CHECK(orders("") == 0);
}

TEST_CASE("an array's element is found by what it says, in frames alone") {
    constexpr std::string_view frame =
        R"({"status":200,"rateLimits":[)"
        R"({"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10,"limit":70,"count":12},)"
        R"({"rateLimitType":"REQUEST_WEIGHT","interval":"DAY","intervalNum":1,"count":9},)"
        R"({"count":319,"intervalNum":1,"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE"}]})";
    const auto reading = read(binance(), {.status = 0, .body = frame});
    REQUIRE(reading.counts.size == 1);
    CHECK(reading.counts.list[0].units == 319);
    CHECK(read(binance(), {.status = 200, .body = frame}).counts.size == 0);
    CHECK(read(binance(), {.status = 0, .body = R"({"status":200})"}).counts.size == 0);
    for (const auto* count : {"-1", "\"x\"", "1.5", "null", "{}"}) {
        const auto body = R"({"rateLimits":[{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE",)"
                          R"("intervalNum":1,"count":)" +
                          std::string(count) + "}]}";
        CHECK(read(binance(), {.status = 0, .body = body}).counts.size == 0);
    }
}

TEST_CASE("U1: the reply's Date names the window, whatever our clock says") {
    // Our clock is three seconds ahead and already in the next minute.
    const auto late = with_weight({"5900"}, {.headers = {{"Date", "Tue, 01 Jan 2030 00:00:59 GMT"}},
                                             .utc_ns = (t0_s + 62) * second});
    REQUIRE(late.counts.size == 1);
    CHECK(late.counts.list[0].at == boot_now - 3s);
    const auto ahead = with_weight({"3"}, {.headers = {{"Date", "Tue, 01 Jan 2030 00:01:00 GMT"}},
                                           .utc_ns = (t0_s + 57) * second});
    CHECK(ahead.counts.list[0].at == boot_now + 3s);
    const auto broken = with_weight({"3"}, {.headers = {{"Date", "yesterday"}}});
    CHECK(broken.counts.list[0].at == boot_now);
}

TEST_CASE("U1: without a Date a count is dropped if the window turned under way") {
    const auto frame = [](BootTime sent, std::int64_t utc_ns) {
        Exchange exchange{.utc_ns = utc_ns};
        exchange.sent = sent;
        return with_weight({"3"}, exchange).counts;
    };
    const std::int64_t two_into = (t0_s + 62) * second;
    CHECK(frame(boot_now - 1s, two_into).size == 1);
    CHECK(frame(boot_now - 3s, two_into).size == 0);
    CHECK(frame(boot_now - 3s, two_into).dropped == 1);
    CHECK(frame({}, two_into).size == 1);
}

TEST_CASE("U1: a reset ties a count to the window that ends there") {
    const auto profile = one("kind = \"fixed\"\nquota = 100\nwindow = \"1m\"",
                             "header = \"used\"\nmeans = \"used\"\n"
                             "reset = { header = \"reset\", unit = \"epoch-ms\" }\n");
    const auto with_reset = [&](std::string_view reset) {
        return read(profile, {.headers = {{"used", "7"}, {"reset", reset}, {"Date", t0_date}}})
            .counts;
    };
    REQUIRE(with_reset("1893456060000").size == 1);
    CHECK(with_reset("1893456060000").list[0].at == boot_now + 60s - 1ns);
    CHECK(with_reset("1893456060").list[0].at == boot_now + 60s - 1ns);  // seconds, by their size
    CHECK(with_reset("1893456300000").size == 0);
    CHECK(with_reset("1893456300000").dropped == 1);
    // In the past, now or broken it says nothing, and the Date does.
    for (const auto* reset : {"1893455000000", "1893456000000", "soon", "-1", ""}) {
        CHECK(with_reset(reset).size == 1);
        CHECK(with_reset(reset).list[0].at == boot_now);
    }
}

TEST_CASE("U1: a countdown names the running window") {
    const auto profile = one("kind = \"fixed\"\nquota = 100\nwindow = \"1m\"",
                             "header = \"left\"\nmeans = \"remaining\"\n"
                             "reset = { header = \"reset\", unit = \"countdown-ms\" }\n");
    const auto counts = read(profile, {.headers = {{"left", "70"}, {"reset", "18250"}}}).counts;
    REQUIRE(counts.size == 1);
    CHECK(counts.list[0].units == 30);  // used, since the limit is fixed
    CHECK(counts.list[0].at == boot_now);
}

TEST_CASE("U2: a limit that is not fixed gets what is left") {
    const auto units = [](std::string_view limit, std::string_view means, std::string_view value) {
        const auto profile = one(limit, "header = \"n\"\nmeans = \"" + std::string(means) + "\"\n");
        const auto counts = read(profile, {.headers = {{"n", value}}}).counts;
        REQUIRE(counts.size == 1);
        CHECK(counts.list[0].is_remaining);
        return counts.list[0].units;
    };
    constexpr auto rolling = "kind = \"rolling\"\nquota = 10\nwindow = \"1s\"";
    CHECK(units(rolling, "remaining", "7") == 7);
    CHECK(units(rolling, "used", "7") == 3);
    CHECK(units(rolling, "used", "71") == 0);
    constexpr auto bucket = "kind = \"bucket\"\nquota = 10\nwindow = \"1s\"\nburst = 50";
    CHECK(units(bucket, "used", "7") == 43);
    CHECK(units("kind = \"bucket\"\nquota = 10\nwindow = \"1s\"", "used", "7") == 3);
}

TEST_CASE("of a remaining header that stands twice the smaller counts") {
    const auto reading =
        read(bybit(), {.headers = {{"X-Bapi-Limit-Status", "7"}, {"x-bapi-limit-status", "6"}},
                       .operation = "create"});
    REQUIRE(reading.counts.size == 1);
    CHECK(reading.counts.list[0].units == 6);
}

TEST_CASE("a count may be a difference of two numbers") {
    const auto profile = one("kind = \"bucket\"\nquota = 1\nwindow = \"10s\"\nburst = 10000",
                             "body = \"/nRequestsCap\"\nminus = { body = \"/nRequestsUsed\" }\n"
                             "means = \"remaining\"\n");
    const auto counts = [&](std::string_view body) { return read(profile, {.body = body}).counts; };
    CHECK(counts(R"({"nRequestsUsed":18120,"nRequestsCap":18249})").list[0].units == 129);
    CHECK(counts(R"({"nRequestsUsed":18254,"nRequestsCap":18249})").list[0].units == 0);
    CHECK(counts(R"({"nRequestsCap":18249})").size == 0);
}

TEST_CASE("no more than eight counts are kept") {
    std::string text;
    for (int i = 0; i < 10; ++i) {
        const auto name = "l" + std::to_string(i);
        text += "[limits." + name + "]\nkind = \"fixed\"\nquota = 10\nwindow = \"1m\"\n";
        text += "[[feedback]]\nlimit = \"" + name + "\"\nheader = \"n\"\nmeans = \"used\"\n";
    }
    CHECK(read(profile_of(with_head(text)), {.headers = {{"n", "1"}}}).counts.size == 8);
}
