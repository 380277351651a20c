// SPDX-License-Identifier: Apache-2.0
//
// Replies that mean ill or are broken: nothing is let through, nothing stops for ever.
#include <string>
#include <vector>

#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using namespace std::string_view_literals;

namespace {

/// A refusal stays one, and its wait is more than nothing and at most what the profile believes.
void check_refused(const venue::Reading& reading) {
    CHECK((reading.action == Action::pause || reading.action == Action::ban));
    CHECK(reading.wait_ns > 0);
    CHECK(wait_of(reading) <= 72h);
}

std::string repeated(std::size_t count, char byte) {
    std::string text;
    text.resize(count, byte);
    return text;
}

}  // namespace

TEST_CASE("hostile: Retry-After as a date, as 0, as -5, as a word, twice") {
    const auto wait = [](std::vector<Header> headers) {
        return read(plain(), {.status = 429, .headers = std::move(headers)});
    };
    CHECK(wait_of(wait({{"Retry-After", "Tue, 01 Jan 2030 00:00:41 GMT"}})) == 41s);
    for (const auto* value : {"0", "-5", "abc"}) {
        CHECK(wait({{"Retry-After", value}}).source == WaitSource::fallback);
    }
    CHECK(wait_of(wait({{"Retry-After", "7"}, {"Retry-After", "41"}})) == 41s);
}

TEST_CASE("hostile: Retry-After in ten days is flagged and overflows nothing") {
    const auto reading = read(plain(), {.status = 429, .headers = {{"Retry-After", "864000"}}});
    CHECK(reading.named_ns == 864'000 * second);
    CHECK(reading.was_clamped);
    CHECK(reading.is_unusual);
    CHECK(wait_of(reading) == 72h);
}

TEST_CASE("hostile: a reset in the other unit is judged by its size") {
    const auto wait = [](std::string_view reset) {
        return read(bybit(), {.headers = {{"X-Bapi-Limit-Reset-Timestamp", reset}},
                              .body = R"({"retCode":10006,"time":1893456000412})"});
    };
    CHECK(wait_of(wait("1893456001000")) == 588ms);
    CHECK(wait_of(wait("1893456001")) == 1588ms);  // to the end of the second
    CHECK(wait("1893456001000000000").source == WaitSource::fallback);
}

TEST_CASE("hostile: a reset in the past, or now, is no wait from it") {
    for (const auto* reset : {"1893456000412", "1893456000000", "1893455000000", "0", "1"}) {
        const auto reading = read(bybit(), {.headers = {{"X-Bapi-Limit-Reset-Timestamp", reset}},
                                            .body = R"({"retCode":10006,"time":1893456000412})"});
        CHECK(reading.source == WaitSource::fallback);
        CHECK(wait_of(reading) >= 1s);
    }
}

TEST_CASE("hostile: a ban that ended before now is a ban without a time") {
    const auto reading =
        read(binance(),
             {.status = 418, .body = R"({"code":-1003,"msg":"IP banned until 1893455999999."})"});
    CHECK(reading.action == Action::ban);
    CHECK(reading.source == WaitSource::fallback);
    CHECK(wait_of(reading) == 120s);
}

TEST_CASE("hostile: a body that is not JSON leaves the status to decide") {
    const std::string large = repeated(10'000'000, 'x');
    const std::string large_text = R"({"code":")" + repeated(10'000'000, '9') + "\"}";
    const std::string deep = std::string(5'000'000, '[');
    const std::string objects = [] {
        std::string text;
        for (int i = 0; i < 100'000; ++i) text += "{\"code\":";
        return text;
    }();
    for (const std::string_view body :
         {""sv, "<html><body>error code: 1015</body></html>"sv, R"({"code":-10)"sv, "\0\0\0"sv,
          "\xff\xfe\x00{"sv, "\xef\xbb\xbf{}"sv, "null"sv, "[]"sv, "\"\""sv,
          "{\"code\":\"\xff\"}"sv, std::string_view(large), std::string_view(large_text),
          std::string_view(deep), std::string_view(objects)}) {
        CAPTURE(body.substr(0, 20), body.size());
        check_refused(read(binance(), {.status = 429, .body = body}));
        check_refused(read(binance(), {.status = 418, .body = body}));
        check_refused(read(binance(), {.status = 403, .body = body}));
        CHECK(read(binance(), {.status = 400, .body = body}).action == Action::rejected);
        CHECK(read(binance(), {.status = 500, .body = body, .operation = "order"}).action ==
              Action::unknown_outcome);
        CHECK(read(binance(), {.status = 200, .body = body, .operation = "ping"}).action ==
              Action::ok);
        CHECK(read(bybit(), {.status = 429, .body = body}).action == Action::pause);
    }
}

TEST_CASE("hostile: a 200 with an error inside is an error") {
    CHECK(read(bybit(), {.status = 200, .body = R"({"retCode":10006})"}).action == Action::pause);
}

TEST_CASE("hostile: a 429 without any hint waits by the profile") {
    check_refused(read(binance(), {.status = 429}));
    CHECK(read(binance(), {.status = 429}).source == WaitSource::fallback);
}

TEST_CASE("hostile: codes as strings are codes, other spellings of the number are not") {
    const auto of = [](std::string_view code) {
        const auto body = "{\"retCode\":" + std::string(code) + "}";
        return read(bybit(), {.status = 200, .body = body}).action;
    };
    CHECK(of("10006") == Action::pause);
    CHECK(of("\"10006\"") == Action::pause);
    for (const auto* code :
         {"1.0006e4", "10006.0", "-10006", "100060", "9007199254750999", "\"\""}) {
        CHECK(of(code) == Action::ok);
    }
}

TEST_CASE(
    "hostile: ends of waits as strings are read, as 1e12, negative or beyond 2^53 they are not") {
    const auto wait = [](std::string_view value) {
        const auto body = R"({"status":418,"error":{"data":{"serverTime":1893456000000,)"
                          R"("retryAfter":)" +
                          std::string(value) + "}}}";
        return read(binance(), {.status = 0, .body = body});
    };
    CHECK(wait_of(wait("1893456060000")) == 60s);
    CHECK(wait_of(wait("\"1893456060000\"")) == 60s);
    for (const auto* value : {"1e12", "-1893456060000", "9007199254740993", "1893456060000.5",
                              "18934560600000000000000000", "null", "[1893456060000]", "\"\""}) {
        CAPTURE(value);
        CHECK(wait(value).source == WaitSource::fallback);
        CHECK(wait_of(wait(value)) == 120s);
    }
}

TEST_CASE("hostile: a header of another case is the same header") {
    const auto reading =
        read(plain(), {.status = 429, .headers = {{"RETRY-after", "7"}, {"retry-AFTER", "9"}}});
    CHECK(wait_of(reading) == 9s);
}

TEST_CASE("hostile: a mebibyte of headers is looked through once a rule") {
    std::vector<std::string> names;
    names.reserve(20'000);
    for (int i = 0; i < 20'000; ++i) names.push_back("x-filler-number-" + std::to_string(i));
    std::vector<Header> headers;
    headers.reserve(names.size() + 1);
    for (const auto& name : names) headers.push_back({name, "0123456789012345678901234567890"});
    headers.push_back({"retry-after", "41"});
    CHECK(wait_of(read(binance(), {.status = 429, .headers = headers})) == 41s);
    const std::string long_value(1 << 20, '9');
    const auto reading =
        read(binance(),
             {.status = 429,
              .headers = {{"retry-after", long_value}, {"x-mbx-used-weight-1m", long_value}}});
    CHECK(wait_of(reading) == 72h);
    CHECK(reading.counts.size == 0);
    const std::string long_name(1 << 20, 'n');
    check_refused(read(binance(), {.status = 429, .headers = {{long_name, "1"}}}));
}

TEST_CASE("hostile: values with NUL bytes and without end are only looked at where they are") {
    const std::string_view no_end("41x", 2);
    CHECK(wait_of(read(plain(), {.status = 429, .headers = {{"retry-after", no_end}}})) == 41s);
    const auto with_nul = read(plain(), {.status = 429, .headers = {{"retry-after"sv, "41\0"sv}}});
    CHECK(with_nul.source == WaitSource::fallback);
}

TEST_CASE("hostile: a venue whose clock is of another century stops nobody for ever") {
    for (const auto* date : {"Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
                             "Sat, 01 Jan 0000 00:00:00 GMT"}) {
        CAPTURE(date);
        const auto reading =
            read(binance(), {.status = 418,
                             .headers = {{"Date", date}, {"x-mbx-used-weight-1m", "5"}},
                             .body = R"({"code":-1003,"msg":"banned until 1893456060000"})"});
        check_refused(reading);
    }
}

TEST_CASE("hostile: our own clock may stand anywhere") {
    for (const std::int64_t utc :
         {std::int64_t{0}, std::int64_t{-1}, -second, std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::int64_t>::max()}) {
        for (const int status : {429, 418, 403}) {
            check_refused(read(binance(), {.status = status,
                                           .headers = {{"x-mbx-used-weight-1m", "5"}},
                                           .body = R"({"code":-1015})",
                                           .utc_ns = utc}));
        }
    }
}
