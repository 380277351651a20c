// SPDX-License-Identifier: Apache-2.0
//
// What a reply means: by signal, by status, by transport; and what it cost.
#include "venue/reading.hpp"

#include <map>
#include <string>

#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

std::map<std::string, std::uint64_t> charges_of(const venue::Profile& profile,
                                                const venue::Reading& reading) {
    std::map<std::string, std::uint64_t> charges;
    for (std::size_t i = 0; i < reading.charge_count; ++i) {
        charges[profile.limits[reading.charges[i].limit].definition.name] =
            reading.charges[i].units;
    }
    return charges;
}

std::string signal_of(const venue::Profile& profile, const venue::Reading& reading) {
    return reading.signal == venue::no_index ? "" : profile.signals[reading.signal].name;
}

}  // namespace

TEST_CASE("E1: where no signal decides, the status does") {
    struct Row {
        int status;
        Action read;
        Action order;
    };
    const auto row = GENERATE(values<Row>({
        {101, Action::ok, Action::ok},
        {200, Action::ok, Action::ok},
        {204, Action::ok, Action::ok},
        {301, Action::rejected, Action::rejected},
        {304, Action::ok, Action::ok},
        {400, Action::rejected, Action::rejected},
        {401, Action::auth, Action::auth},
        {403, Action::rejected, Action::rejected},
        {404, Action::rejected, Action::rejected},
        {408, Action::retry_later, Action::unknown_outcome},
        {409, Action::rejected, Action::rejected},
        {418, Action::ban, Action::ban},
        {425, Action::retry_later, Action::retry_later},
        {429, Action::pause, Action::pause},
        {500, Action::retry_later, Action::unknown_outcome},
        {503, Action::retry_later, Action::unknown_outcome},
        {504, Action::retry_later, Action::unknown_outcome},
        {599, Action::retry_later, Action::unknown_outcome},
        {600, Action::retry_later, Action::unknown_outcome},
        {99, Action::retry_later, Action::unknown_outcome},
        {-1, Action::retry_later, Action::unknown_outcome},
    }));
    CAPTURE(row.status);
    CHECK(read(plain(), {.status = row.status, .operation = "get"}).action == row.read);
    CHECK(read(plain(), {.status = row.status, .operation = "post"}).action == row.order);
    CHECK(read(plain(), {.status = row.status}).action == row.order);
}

TEST_CASE("a request that was not sent may go again, one that may have been is looked up") {
    const auto ended = [](Transport transport, std::string_view operation) {
        return read(plain(), {.status = 0, .operation = operation, .transport = transport});
    };
    CHECK(ended(Transport::not_sent, "post").action == Action::retry_later);
    CHECK(ended(Transport::maybe_sent, "post").action == Action::unknown_outcome);
    CHECK(ended(Transport::maybe_sent, "get").action == Action::retry_later);
    CHECK_FALSE(ended(Transport::not_sent, "post").is_charged);
    CHECK(charges_of(plain(), ended(Transport::not_sent, "post")) ==
          std::map<std::string, std::uint64_t>{{"requests", 0}});
    CHECK(ended(Transport::maybe_sent, "post").is_charged);
}

TEST_CASE("E4: an order whose good reply is cut off or broken is an unknown outcome") {
    const auto reply = [](std::string_view body, std::string_view operation, bool is_whole = true) {
        return read(plain(), {.body = body, .operation = operation, .is_whole = is_whole});
    };
    CHECK(reply(R"({"orderId":1})", "post").action == Action::ok);
    CHECK(reply("", "post").action == Action::ok);
    CHECK(reply(R"({"orderId":)", "post").action == Action::unknown_outcome);
    CHECK(reply("<html></html>", "post").action == Action::unknown_outcome);
    CHECK(reply(R"({"orderId":1})", "post", false).action == Action::unknown_outcome);
    CHECK(reply(R"({"orderId":1})", "post", false).is_broken);
    CHECK(reply("<html></html>", "get").action == Action::ok);
    CHECK(reply(R"({"a":1})", "get", false).action == Action::retry_later);
    CHECK(reply("", "", false).action == Action::unknown_outcome);
}

TEST_CASE("a signal decides before the status; its name and line are known") {
    const auto reading =
        read(binance(), {.status = 400, .body = R"({"code":-2010,"msg":"Duplicate order sent."})"});
    CHECK(reading.action == Action::rejected);
    CHECK(reading.is_duplicate);
    CHECK(signal_of(binance(), reading) == "duplicate");
    CHECK(binance().signals[reading.signal].place.line > 0);
    const auto other =
        read(binance(),
             {.status = 400, .body = R"({"code":-2010,"msg":"Account has insufficient balance"})"});
    CHECK(other.action == Action::rejected);
    CHECK_FALSE(other.is_duplicate);
    CHECK(signal_of(binance(), other).empty());
}

TEST_CASE("an error inside a 200 is read, and a good 200 is not taken for one") {
    constexpr std::string_view too_many =
        R"({"retCode":10006,"retMsg":"Too many visits!","result":{},"time":1893456000412})";
    const auto refused =
        read(bybit(), {.headers = {{"X-Bapi-Limit-Reset-Timestamp", "1893456001000"}},
                       .body = too_many,
                       .operation = "create"});
    CHECK(refused.action == Action::pause);
    CHECK(refused.scope == Scope::key);
    CHECK(refused.per == "uid");
    CHECK(refused.source == WaitSource::header);
    CHECK(wait_of(refused) == 588ms);
    const auto good = read(bybit(), {.headers = {{"X-Bapi-Limit-Reset-Timestamp", "1893456000412"}},
                                     .body = R"({"retCode":0,"time":1893456000412})",
                                     .operation = "create"});
    CHECK(good.action == Action::ok);
    CHECK(wait_of(good) == 0s);
    CHECK(read(bybit(), {.body = R"({"retCode":10429})"}).action == Action::overload);
    CHECK(read(bybit(), {.body = R"({"retCode":"10000"})"}).action == Action::unknown_outcome);
}

TEST_CASE("one refused item of a batch is heard, and that others were done") {
    const auto mixed =
        read(bybit(),
             {.body = R"({"retCode":0,"retExtInfo":{"list":[{"code":0},{"code":10006}]},"time":1})",
              .operation = "create"});
    CHECK(mixed.action == Action::pause);
    CHECK(mixed.partly_done);
    CHECK(wait_of(mixed) == 1s);
    const auto none = read(
        bybit(), {.body = R"({"retCode":0,"retExtInfo":{"list":[{"code":10006},{"code":10006}]}})",
                  .operation = "create"});
    CHECK(none.action == Action::pause);
    CHECK_FALSE(none.partly_done);
    CHECK(read(bybit(), {.body = R"({"retCode":0,"retExtInfo":{"list":[{"code":0}]}})"}).action ==
          Action::ok);
}

TEST_CASE("a 429 whose cancel half was done says so") {
    constexpr std::string_view half =
        R"({"code":-2021,"data":{"cancelResult":"SUCCESS","newOrderResult":"FAILURE"}})";
    for (const int status : {429, 409}) {
        const auto reading = read(
            binance(),
            {.status = status, .body = half, .operation = "order", .utc_ns = (t0_s + 3) * second});
        CHECK(reading.action == Action::pause);
        CHECK(reading.scope == Scope::key);
        CHECK(reading.partly_done);
        CHECK(wait_of(reading) == 7s);
    }
    const auto nothing = read(
        binance(), {.status = 429, .body = R"({"code":-2021,"data":{"cancelResult":"FAILURE"}})"});
    CHECK_FALSE(nothing.partly_done);
}

TEST_CASE("the later of a ban's header and text counts") {
    constexpr std::string_view body =
        R"({"code":-1003,"msg":"Way too much request weight used; IP banned until 1893456178000."})";
    const auto banned = [&](std::string_view seconds) {
        return read(binance(),
                    {.status = 418, .headers = {{"Retry-After", seconds}}, .body = body});
    };
    CHECK(wait_of(banned("172")) == 178s);
    CHECK(banned("172").source == WaitSource::text);
    CHECK(wait_of(banned("200")) == 200s);
    CHECK(banned("200").source == WaitSource::retry_after);
}

TEST_CASE("a frame's status and clock are its own") {
    constexpr std::string_view refusal =
        R"({"id":"b2","status":429,"error":{"code":-1003,"msg":"Too much request weight used.",)"
        R"("data":{"serverTime":1893456023500,"retryAfter":1893456060000}},"rateLimits":[)"
        R"({"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":4200,"count":4201}]})";
    const auto reading = read(binance(), {.status = 0, .body = refusal, .operation = "ping"});
    CHECK(reading.status == 429);
    CHECK(reading.action == Action::pause);
    CHECK(reading.source == WaitSource::body);
    CHECK(wait_of(reading) == 36500ms);
    CHECK(read(binance(), {.status = 0, .body = R"({"status":418})"}).action == Action::ban);
    CHECK(read(binance(), {.status = 0, .body = R"({"status":"200"})"}).action == Action::ok);
    CHECK(read(binance(), {.status = 0, .body = R"({"e":"serverShutdown"})"}).action == Action::ok);
    CHECK(read(binance(), {.status = 0, .body = R"({"status":99999})"}).action == Action::ok);
}

TEST_CASE("what a call turns out to have cost follows its outcome") {
    const auto of = [](int status, std::string_view body = {},
                       std::string_view operation = "order") {
        return charges_of(
            binance(), read(binance(), {.status = status, .body = body, .operation = operation}));
    };
    using Charges = std::map<std::string, std::uint64_t>;
    CHECK(of(200) == Charges{{"weight", 0}});
    CHECK(of(400) == Charges{{"weight", 2}});
    CHECK(of(504).empty());
    CHECK(of(200, "{}", "ping").empty());
    CHECK(of(503, R"({"code":-1001,"msg":"Service Unavailable."})") ==
          Charges{{"weight", 0}, {"raw", 0}, {"orders-10s", 0}});
    CHECK(of(200, "cut").empty());
}

TEST_CASE("policy F waits for the main limit of what was called") {
    const auto reading = [](std::string_view operation) {
        return read(binance(),
                    {.status = 429, .operation = operation, .utc_ns = (t0_s + 50) * second});
    };
    CHECK(wait_of(reading("ping")) == 10s);
    CHECK(wait_of(reading("")) == 10s);
    const auto daily =
        profile_of(with_head("[limits.day]\nkind = \"fixed\"\nquota = 5\nwindow = \"1d\"\n"));
    CHECK(wait_of(read(daily, {.status = 429})) == 600s);
    CHECK(wait_of(read(bybit(), {.status = 429})) == 5s);
}

TEST_CASE("a floor holds for every source") {
    const auto profile = profile_of(with_head(R"(
[limits.a]
kind = "rolling"
quota = 1
window = "1s"
[[signals]]
name = "s"
status = 429
action = "pause"
at_least = "30s"
[[signals]]
name = "later"
status = 503
action = "retry-later"
at_least = "2s"
)"));
    const auto limited = [&](std::string_view value) {
        return read(profile, {.status = 429, .headers = {{"Retry-After", value}}});
    };
    CHECK(wait_of(limited("7")) == 30s);
    CHECK(wait_of(limited("41")) == 41s);
    CHECK(wait_of(limited("soon")) == 30s);
    CHECK(wait_of(read(profile, {.status = 503})) == 2s);
    CHECK(read(profile, {.status = 503}).source == WaitSource::fixed);
}

TEST_CASE("a pause longer than a window and a day is kept and flagged") {
    const auto wait = [](std::string_view value) {
        return read(plain(), {.status = 429, .headers = {{"Retry-After", value}}});
    };
    CHECK_FALSE(wait("86400").is_unusual);
    CHECK(wait("86406").is_unusual);
    CHECK(wait_of(wait("86406")) == 86'406s);
}

TEST_CASE("waits count from receipt, not from the call") {
    Reply reply;
    reply.status = 429;
    const Header header{"Retry-After", "10"};
    reply.headers = {&header, 1};
    reply.received_at = boot_now - 3s;
    const auto reading =
        venue::read(plain(), reply, venue::no_index, {boot_now, t0_s * second, {}});
    CHECK(venue::resume_at(reading) == boot_now + 7s);
    reply.received_at = {};
    CHECK(venue::resume_at(venue::read(plain(), reply, venue::no_index,
                                       {boot_now, t0_s * second, {}})) == boot_now + 10s);
}

TEST_CASE("a header that must be there, must not be, or must match is a condition") {
    const auto profile = profile_of(with_head(R"(
[limits.a]
kind = "rolling"
quota = 1
window = "1s"
[[signals]]
name = "own"
status = 429
header = "gw-ratelimit-remaining"
action = "pause"
[[signals]]
name = "page"
status = 429
header = "content-type"
header_text = "text/html*"
action = "retry-later"
[[signals]]
name = "busy"
status = 429
header_absent = "gw-ratelimit-limit"
action = "overload"
charged = false
)"));
    const auto action = [&](std::vector<Header> headers) {
        return read(profile, {.status = 429, .headers = std::move(headers)}).action;
    };
    CHECK(action({{"GW-RateLimit-Remaining", "0"}}) == Action::pause);
    CHECK(action({{"gw-ratelimit-remaining", ""}}) == Action::pause);
    CHECK(action({{"Content-Type", "Text/HTML; charset=utf-8"}}) == Action::retry_later);
    CHECK(action({{"Content-Type", "application/json"}}) == Action::overload);
    CHECK(action({}) == Action::overload);
    CHECK(action({{"gw-ratelimit-limit", "3600"}}) == Action::pause);
    CHECK_FALSE(read(profile, {.status = 429}).is_charged);
}
