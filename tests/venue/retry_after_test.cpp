// SPDX-License-Identifier: Apache-2.0
//
// Values of Retry-After, each through the parser and through a whole 429.
#include <clocale>

#include "venue/retry_after.hpp"
#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using venue::parse_retry_after;

namespace {

/// What a 429 with that value does to a profile whose only window is 5 s long.
venue::Reading of_429(std::string_view value) {
    return read(plain(), {.status = 429, .headers = {{"Retry-After", value}}});
}

void check_unusable(std::string_view value) {
    CAPTURE(value);
    CHECK_FALSE(parse_retry_after(value, t0_s));
    const auto reading = of_429(value);
    CHECK(reading.action == Action::pause);
    CHECK(reading.scope == Scope::address);
    CHECK(reading.source == WaitSource::fallback);
    CHECK(wait_of(reading) == 5s);
}

}  // namespace

TEST_CASE("B01: a number with a tail and a date with a number before it are unusable") {
    check_unusable(GENERATE("1m0s", "1000abc", "120s", "120;", "5 minutes",
                            "06 Nov 2094 08:49:37 GMT", "Thu,20Aug202609:15:00GMT", "120 GMT",
                            "7, 7", "7,9"));
}

TEST_CASE("B02: fractions, exponents and words of floating point are unusable") {
    check_unusable(GENERATE("0.493", "0.503", "1.0", "292.052427053", ".5", "5.", "1,5", "1e3",
                            "0x10", "nan", "NaN", "inf", "-inf", "Infinity", "1e309"));
}

TEST_CASE("B03: signs and free dates are unusable; 2027 is a number of seconds") {
    CHECK(parse_retry_after("2027", t0_s) == 2027);
    check_unusable(
        GENERATE("-1", "-0", "-86400", "+3", "+120", "--5", "- 5", "Sep 2027", "Jan 1 2030"));
}

TEST_CASE("B05: every huge number saturates to the longest credible wait") {
    const std::string nines(GENERATE(std::size_t{400}, std::size_t{65'536}), '9');
    const auto value = GENERATE_COPY(
        std::string("2147483647"), std::string("2147483648"), std::string("4294967295"),
        std::string("4294967296"), std::string("9223372036"), std::string("9223372037"),
        std::string("9223372036854775807"), std::string("9223372036854775808"),
        std::string("18446744073709551615"), std::string("18446744073709551616"),
        std::string("9999999999"), std::string("99999999999999999999"), nines);
    CAPTURE(value.substr(0, 30), value.size());
    CHECK(parse_retry_after(value, t0_s) == venue::wait_s_max);
    const auto reading = of_429(value);
    CHECK(reading.source == WaitSource::retry_after);
    CHECK(wait_of(reading) == 72h);
    CHECK(reading.was_clamped);
    CHECK(venue::resume_at(reading) == boot_now + 72h);
}

TEST_CASE("B05: leading zeros are digits") {
    CHECK(parse_retry_after("0000000000000000000000000000000120", t0_s) == 120);
}

TEST_CASE("B06: digits of other scripts and bytes that are not ASCII are unusable") {
    const auto* locale = GENERATE("C", "C.UTF-8", "tr_TR.UTF-8");
    std::setlocale(LC_ALL, locale);  // an absent one leaves the locale as it was
    using namespace std::string_view_literals;
    check_unusable(GENERATE("\xd9\xa5"sv, "\xc2\xb2"sv, "\xef\xbc\x95"sv, "12\xc2\xa0"sv,
                            "\xe2\x88\x92"
                            "5"sv,
                            "1\0002"sv,
                            "\xff"
                            "5"sv));
    std::setlocale(LC_ALL, "C");
}

TEST_CASE("B07: a word or nothing is not zero") {
    using namespace std::string_view_literals;
    check_unusable(GENERATE(""sv, " \t "sv, "soon"sv, "null"sv, "undefined"sv, "N/A"sv, "true"sv,
                            "never"sv, "\"120\""sv, "120\r"sv, "120\r\n"sv));
}

TEST_CASE("B07: fifty unusable values in a row wait each time, by the fallback that grows") {
    for (int i = 0; i < 50; ++i) {
        const auto reading = of_429("soon");
        CHECK(reading.source == WaitSource::fallback);
        CHECK(wait_of(reading) >= 1s);
    }
}

TEST_CASE("B08: a date that is over, or now, is no usable time") {
    constexpr std::int64_t now = 1'785'585'600;  // 2026-08-01T12:00:00Z
    const auto* value = GENERATE("Wed, 21 Oct 2015 07:28:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT",
                                 "Sat, 01 Aug 2026 11:59:59 GMT", "Sat, 01 Aug 2026 12:00:00 GMT");
    CAPTURE(value);
    CHECK_FALSE(parse_retry_after(value, now));
    const Exchange limited{
        .status = 429, .headers = {{"Retry-After", value}}, .utc_ns = now * second};
    for (int i = 0; i < 20; ++i) {
        CHECK(read(plain(), limited).source == WaitSource::fallback);
        CHECK(wait_of(read(plain(), limited)) == 5s);
    }
    Exchange banned = limited;
    banned.status = 418;
    CHECK(read(plain(), banned).action == Action::ban);
    CHECK(wait_of(read(plain(), banned)) == 120s);
}

TEST_CASE("B23: blanks and tabs around a value are not part of it") {
    CHECK(parse_retry_after(GENERATE("120", " 120", "120 ", "\t120\t", " \t 120 \t "), t0_s) ==
          120);
    using namespace std::string_view_literals;
    check_unusable(GENERATE("12 0"sv, "120\n"sv, "\v120"sv, "120\0"sv));
}

TEST_CASE("B23: a name is matched without regard to case, and whole") {
    const auto with_name = [](std::string_view name, std::string_view value) {
        return read(plain(), {.status = 429, .headers = {{name, value}}});
    };
    for (const auto* name : {"RETRY-AFTER", "retry-after", "Retry-After"}) {
        CHECK(wait_of(with_name(name, "120")) == 120s);
    }
    for (const auto* name : {"Retry-After ", "Retry_After", "X-Retry-After", ""}) {
        CHECK(with_name(name, "120").source == WaitSource::fallback);
    }
}

TEST_CASE("B23: a repeated line counts once, of two values the longer, a broken one not at all") {
    const auto with_two = [](std::string_view first, std::string_view other) {
        return read(plain(),
                    {.status = 429, .headers = {{"Retry-After", first}, {"retry-after", other}}});
    };
    CHECK(wait_of(with_two("120", "120")) == 120s);
    CHECK(wait_of(with_two("7", "41")) == 41s);
    CHECK(wait_of(with_two("41", "7")) == 41s);
    CHECK(wait_of(with_two("soon", "7")) == 7s);
    CHECK(wait_of(with_two("7", "-1")) == 7s);
}

TEST_CASE("B23: what a status means decides whether its Retry-After does") {
    const auto with_status = [](int status, std::string_view operation) {
        return read(
            plain(),
            {.status = status, .headers = {{"Retry-After", "120"}}, .operation = operation});
    };
    CHECK(with_status(429, "get").action == Action::pause);
    CHECK(wait_of(with_status(429, "get")) == 120s);
    CHECK(with_status(418, "get").action == Action::ban);
    CHECK(wait_of(with_status(418, "get")) == 120s);
    CHECK(with_status(503, "get").action == Action::retry_later);
    CHECK(with_status(503, "get").scope == Scope::request);
    CHECK(wait_of(with_status(503, "get")) == 120s);
    CHECK(with_status(503, "post").action == Action::unknown_outcome);
    for (const int status : {200, 301, 404}) {
        CHECK(wait_of(with_status(status, "get")) == 0s);
        CHECK(venue::resume_at(with_status(status, "get")) == BootTime());
    }
}

TEST_CASE("B22: three days are kept to the second, beyond that the wait is cut and says so") {
    const auto wait = [](std::string_view value) { return of_429(value); };
    CHECK(wait_of(wait("86400")) == 24h);
    CHECK(wait_of(wait("259200")) == 72h);
    CHECK_FALSE(wait("259200").was_clamped);
    for (const auto* value : {"259201", "604800", "864000"}) {
        CHECK(wait_of(wait(value)) == 72h);
        CHECK(wait(value).was_clamped);
    }
    CHECK(wait("604800").named_ns == 604'800 * second);
}

TEST_CASE("B22: a profile may believe longer waits") {
    const auto patient = profile_of(with_head(
        "longest_wait = \"14d\"\n[limits.a]\nkind = \"rolling\"\nquota = 1\nwindow = \"1s\"\n"));
    const auto reading = read(patient, {.status = 418, .headers = {{"Retry-After", "864000"}}});
    CHECK(wait_of(reading) == 240h);
    CHECK_FALSE(reading.was_clamped);
}

TEST_CASE("B24: dates beyond every credible wait are cut to it, years past 2262 too") {
    const auto* value = GENERATE("Tue, 19 Jan 2038 03:14:07 GMT", "Tue, 19 Jan 2038 03:14:08 GMT",
                                 "Sun, 07 Feb 2106 06:28:16 GMT", "Fri, 31 Dec 9999 23:59:59 GMT");
    const auto reading = of_429(value);
    CHECK(reading.source == WaitSource::retry_after);
    CHECK(wait_of(reading) == 72h);
    CHECK(reading.was_clamped);
}

TEST_CASE("a date counts against the reply's own Date, whatever our clock says") {
    const auto* value = "Tue, 01 Jan 2030 00:00:41 GMT";
    for (const std::int64_t off : {-3, 0, 3, 86'400}) {
        const auto reading = read(plain(), {.status = 429,
                                            .headers = {{"Date", t0_date}, {"Retry-After", value}},
                                            .utc_ns = (t0_s + off) * second});
        CHECK(wait_of(reading) == 41s);
    }
    CHECK(wait_of(of_429(value)) == 41s);
}
