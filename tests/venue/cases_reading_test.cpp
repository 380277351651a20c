// SPDX-License-Identifier: Apache-2.0
//
// Replies of public cases, read whole.
#include <string>

#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

std::string ban_text(std::string_view text) {
    return R"({"code":-1003,"msg":")" + std::string(text) + "\"}";
}

/// A profile whose default waits are several headers, the longest of which counts.
const venue::Profile& many_headers() {
    static const auto profile = profile_of(with_head(R"(
longest = true
wait = [
  { from = "retry-after" },
  { from = "header", name = "retry-after-ms", unit = "countdown-ms" },
  { from = "header", name = "x-ms-retry-after-ms", unit = "countdown-ms" },
  { from = "header", name = "x-ratelimit-reset", unit = "countdown-s" },
]
[limits.a]
kind = "rolling"
quota = 10
window = "5s"
)"));
    return profile;
}

venue::Reading of_headers(std::vector<Header> headers) {
    return read(many_headers(), {.status = 429, .headers = std::move(headers)});
}

}  // namespace

TEST_CASE("A13: a firewall's page stops the host for sixty seconds, an upgrade's 403 too") {
    constexpr std::string_view page =
        "<HTML><HEAD><TITLE>ERROR: The request could not be satisfied</TITLE></HEAD></HTML>";
    for (const std::string_view body : {page, std::string_view()}) {
        const auto reading = read(
            binance(), {.status = 403, .headers = {{"Content-Type", "text/html"}}, .body = body});
        CHECK(reading.action == Action::pause);
        CHECK(reading.scope == Scope::address);
        CHECK(reading.source == WaitSource::fallback);
        CHECK(wait_of(reading) == 60s);
    }
}

TEST_CASE("A13: a 429 that is a page waits for the next window") {
    const std::string page = "<html>" + std::string(4096, 'x') + "</html>";
    const auto reading = read(binance(), {.status = 429,
                                          .headers = {{"Content-Type", "text/html"}},
                                          .body = page,
                                          .operation = "ping",
                                          .utc_ns = (t0_s + 19) * second});
    CHECK(reading.action == Action::pause);
    CHECK(reading.source == WaitSource::fallback);
    CHECK(wait_of(reading) == 41s);
}

TEST_CASE("A13: a 403 about the key stops nobody") {
    const auto reading =
        read(binance(), {.status = 403, .body = R"({"code":-2015,"msg":"Invalid API-key"})"});
    CHECK(reading.action == Action::auth);
    CHECK(reading.scope == Scope::request);
    CHECK(wait_of(reading) == 0s);
}

TEST_CASE("A13: without a firewall in the profile a 403 is a refusal") {
    CHECK(read(plain(), {.status = 403, .body = "<html>"}).action == Action::rejected);
}

TEST_CASE("A14: too frequent access is a ban of ten minutes") {
    const auto reading = read(bybit(), {.status = 403, .body = "403, access too frequent"});
    CHECK(reading.action == Action::ban);
    CHECK(reading.scope == Scope::address);
    CHECK(reading.source == WaitSource::fixed);
    CHECK(wait_of(reading) == 600s);
    const auto other =
        read(bybit(), {.status = 403,
                       .body = "The Amazon CloudFront distribution is configured to block access "
                               "from your country."});
    CHECK(other.action == Action::rejected);
}

TEST_CASE("A16: the end of a ban is the number behind the words, never one in the brackets") {
    const auto* address = GENERATE("IP(203.0.113.7)", "IP(2001:db8::1234:5678:9abc)", "IP(***)",
                                   "IP(203.0.113.7:1615183669)", "IP");
    CAPTURE(address);
    const auto body = ban_text("Way too many requests; " + std::string(address) +
                               " banned until 1615183669840. Please use the websocket for live "
                               "updates to avoid bans.");
    // 2021-03-08T06:06:49.840Z: one minute before the end.
    const auto reading =
        read(binance(), {.status = 418, .body = body, .utc_ns = 1'615'183'609'840'000'000});
    CHECK(reading.action == Action::ban);
    CHECK(reading.source == WaitSource::text);
    CHECK(wait_of(reading) == 60s);
}

TEST_CASE("A16: a number that is part of something else is no end of a ban") {
    for (const auto* text :
         {"banned until tomorrow", "banned until 1893456178000abc", "banned until 1893456178.5",
          "banned until -1893456178000", "banned until  1893456178000", "until 1893456178000",
          "banned until "}) {
        CAPTURE(text);
        const auto body = ban_text(text);
        CHECK(read(binance(), {.status = 418, .body = body}).source == WaitSource::fallback);
    }
    const auto second_try = ban_text("banned until further notice, BANNED UNTIL 1893456178000");
    CHECK(wait_of(read(binance(), {.status = 418, .body = second_try})) == 178s);
}

TEST_CASE("A20: no header and an empty one are the fallback, not zero") {
    const std::int64_t at = (t0_s + 30) * second + 400'000'000;
    for (const auto& headers : {std::vector<Header>{}, std::vector<Header>{{"Retry-After", ""}}}) {
        const auto limited = read(binance(), {.status = 429, .headers = headers, .utc_ns = at});
        CHECK(limited.action == Action::pause);
        CHECK(limited.source == WaitSource::fallback);
        CHECK(wait_of(limited) == 29600ms);
        for (const std::string_view body : {"", "{}"}) {
            const auto banned =
                read(binance(), {.status = 418, .headers = headers, .body = body, .utc_ns = at});
            CHECK(banned.action == Action::ban);
            CHECK(banned.source == WaitSource::fallback);
            CHECK(wait_of(banned) == 120s);
        }
    }
}

TEST_CASE("A20: at the end of a window the fallback is one second at least") {
    const auto reading =
        read(binance(), {.status = 429, .utc_ns = (t0_s + 59) * second + 900'000'000});
    CHECK(wait_of(reading) == 1s);
}

TEST_CASE("A27: orders that came too fast stop their account, not the host") {
    constexpr std::string_view body =
        R"({"code":-1015,"msg":"Too many new orders; current limit is 100 orders per TEN_SECONDS."})";
    const auto with = read(
        binance(),
        {.status = 429, .headers = {{"Retry-After", "7"}}, .body = body, .operation = "order"});
    CHECK(with.action == Action::pause);
    CHECK(with.scope == Scope::key);
    CHECK(with.per == "account");
    CHECK(wait_of(with) == 7s);
    const auto without =
        read(binance(),
             {.status = 429, .body = body, .operation = "order", .utc_ns = (t0_s + 4) * second});
    CHECK(without.scope == Scope::key);
    CHECK(wait_of(without) == 6s);
    CHECK(read(binance(), {.status = 429, .operation = "order"}).scope == Scope::address);
}

TEST_CASE("B16: a header counts before a body whose unit nobody named") {
    const auto reading =
        read(plain(),
             {.status = 429, .headers = {{"Retry-After", "1"}}, .body = R"({"retry_after":555})"});
    CHECK(wait_of(reading) == 1s);
    CHECK(wait_of(of_headers({{"retry-after-ms", "1500"}})) == 1500ms);
    CHECK(wait_of(of_headers({{"Retry-After", "30"}})) == 30s);
}

TEST_CASE("B17: of several headers the broken ones fall through and the longest counts") {
    CHECK(wait_of(of_headers({{"Retry-After", "1"}, {"retry-after-ms", "1500"}})) == 1500ms);
    CHECK(wait_of(of_headers({{"retry-after-ms", "abc"}, {"Retry-After", "20"}})) == 20s);
    CHECK(wait_of(of_headers({{"retry-after-ms", "100"}, {"Retry-After", "20"}})) == 20s);
    CHECK(wait_of(of_headers({{"x-ms-retry-after-ms", "2500"}})) == 2500ms);
    CHECK(of_headers({{"retry-after-ms", "-5"}}).source == WaitSource::fallback);
    CHECK(wait_of(of_headers({{"Retry-After", "20"}, {"x-ratelimit-reset", "45"}})) == 45s);
}

TEST_CASE("B19: a reset in the second of the reply's own Date is no wait from it") {
    const auto profile = profile_of(with_head(R"(
[limits.a]
kind = "rolling"
quota = 10
window = "5s"
[[signals]]
name = "limited"
status = 429
action = "pause"
wait = [{ from = "header", name = "x-ratelimit-reset", unit = "epoch-s" }]
)"));
    const auto with_reset = [&](std::string_view reset) {
        return read(profile, {.status = 429,
                              .headers = {{"Date", "Mon, 23 Oct 2023 21:48:42 GMT"},
                                          {"x-ratelimit-reset", reset}},
                              .utc_ns = 1'698'097'725 * second});
    };
    CHECK(with_reset("1698097722").source == WaitSource::fallback);
    CHECK(wait_of(with_reset("1698097722")) >= 1s);
    // One second later is waited to its end, seen from the start of the Date's second.
    CHECK(with_reset("1698097723").source == WaitSource::header);
    CHECK(wait_of(with_reset("1698097723")) == 2s);
}

TEST_CASE("B26: a wait of less than a second is kept to the nanosecond") {
    const auto body = ban_text("banned until 1893456000001");
    const auto reading =
        read(binance(), {.status = 418, .body = body, .utc_ns = t0_s * second + 1});
    CHECK(wait_of(reading) == 999'999ns);
    CHECK(venue::resume_at(reading) == boot_now + 999'999ns);
}
