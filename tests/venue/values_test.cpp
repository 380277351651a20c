// SPDX-License-Identifier: Apache-2.0
//
// Numbers, units, durations and patterns.
#include <string>

#include "support/catch.hpp"
#include "venue/duration.hpp"
#include "venue/number.hpp"
#include "venue/pattern.hpp"

using namespace ratecoord::venue;
using namespace std::chrono_literals;

namespace {
constexpr std::int64_t t0_ns = 1'893'456'000 * second_ns;
}

TEST_CASE("N1: a count is digits, at most 2^53") {
    CHECK(parse_count("0") == 0);
    CHECK(parse_count("007") == 7);
    CHECK(parse_count("9007199254740992") == std::uint64_t{1} << 53);
    for (const auto* text : {"", "-1", "+1", "1e3", "1.0", " 1", "1 ", "0x1", "9007199254740993",
                             "18446744073709551616", "\xd9\xa5", "1,000"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_count(text));
    }
    CHECK_FALSE(parse_count(std::string(65'536, '9')));
}

TEST_CASE("N2: an epoch is judged by its size") {
    CHECK(to_utc_ns(1'893'456'000)->ns == t0_ns);
    CHECK(to_utc_ns(1'893'456'000)->is_whole_seconds);
    CHECK(to_utc_ns(1'893'456'000'000)->ns == t0_ns);
    CHECK(to_utc_ns(1'893'456'000'000'000)->ns == t0_ns);
    CHECK_FALSE(to_utc_ns(1'893'456'000'000'000)->is_whole_seconds);
    CHECK_FALSE(to_utc_ns(1'893'456'000'000'000'000));
    CHECK(to_utc_ns(99'999'999'999)->ns == ns_max);  // the year 5138
}

TEST_CASE("B16: each unit waits as long as it says") {
    CHECK(wait_of(30, Unit::countdown_s, 0) == 30 * second_ns);
    CHECK(wait_of(1500, Unit::countdown_ms, 0) == 1'500'000'000);
    CHECK(wait_of(1'893'456'036'500, Unit::epoch_ms, t0_ns) == 36'500'000'000);
    CHECK(wait_of(1'893'456'036'500'000, Unit::epoch_us, t0_ns) == 36'500'000'000);
    // Seconds where milliseconds were expected, and the reverse.
    CHECK(wait_of(1'893'456'001'000, Unit::epoch_s, t0_ns) == second_ns);
    CHECK(wait_of(1'893'456'012, Unit::epoch_ms, t0_ns) == 13 * second_ns);
}

TEST_CASE("B19: a second that is named without its parts is waited to its end") {
    CHECK(wait_of(1'893'456'012, Unit::epoch_s, t0_ns) == 13 * second_ns);
    CHECK(wait_of(1'893'456'012, Unit::epoch_s, t0_ns + 250'000'000) == 12'750'000'000);
    CHECK_FALSE(wait_of(1'893'456'000, Unit::epoch_s, t0_ns));
    CHECK_FALSE(wait_of(1'893'456'000, Unit::epoch_s, t0_ns + 900'000'000));
}

TEST_CASE("B26: no part of a second is rounded away") {
    CHECK(wait_of(1'893'456'000'001, Unit::epoch_ms, t0_ns) == 1'000'000);
    CHECK(wait_of(1'893'456'000'000'001, Unit::epoch_us, t0_ns) == 1'000);
    CHECK(wait_of(1'893'456'000'001, Unit::epoch_ms, t0_ns + 999'999) == 1);
    CHECK_FALSE(wait_of(1'893'456'000'001, Unit::epoch_ms, t0_ns + 1'000'000));
}

TEST_CASE("N3: zero, the past and what cannot be an epoch are no wait; nothing wraps") {
    CHECK_FALSE(wait_of(0, Unit::countdown_ms, 0));
    CHECK_FALSE(wait_of(1, Unit::epoch_ms, t0_ns));
    CHECK_FALSE(wait_of(std::uint64_t{1} << 53, Unit::epoch_s, ns_max));
    CHECK(wait_of(std::uint64_t{1} << 53, Unit::countdown_s, 0) == ns_max);
    CHECK(wait_of(99'999'999'999, Unit::epoch_s, 0) == ns_max);
    CHECK(add_saturating(ns_max, 1) == ns_max);
    CHECK(subtract_saturating(-ns_max, ns_max) == -ns_max);
    CHECK(subtract_saturating(ns_max, -1) == ns_max);
    CHECK(multiply_saturating(ns_max, -2) == -ns_max);
}

TEST_CASE("a duration is whole numbers with descending units") {
    CHECK(parse_duration("250ms") == 250ms);
    CHECK(parse_duration("1m30s") == 90s);
    CHECK(parse_duration("3d") == 72h);
    CHECK(parse_duration("1h1ns") == 1h + 1ns);
    CHECK(parse_duration("0s") == 0s);
    for (const auto* text :
         {"", "10", "s", "1.5s", "-1s", "+1s", "1s1m", "1s1s", "1 s", " 1s", "1S", "1w", "1sec",
          "99999999999999999999s", "300y", "106752d", "1m 30s"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text));
    }
    CHECK(format_duration(90s) == "1m30s");
    CHECK(format_duration(0s) == "0s");
    CHECK(format_duration(24h + 1ms) == "1d1ms");
}

TEST_CASE("a pattern matches the whole text, without regard to case") {
    struct Row {
        const char* pattern;
        const char* text;
        bool matches;
    };
    const auto row = GENERATE(values<Row>({
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "anything", true},
        {"abc", "ABC", true},
        {"ABC", "abc", true},
        {"abc", "abcd", false},
        {"*banned until*", "IP BANNED until 5", true},
        {"banned*", "ip banned", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"?", "", false},
        {"a*b*c", "aXXbYYc", true},
        {"a*b*c", "aXXbYY", false},
        {"*ab", "aab", true},
        {"*aab*", "aaaab", true},
        {"a**b", "ab", true},
        {"[a]", "a", false},
    }));
    CAPTURE(row.pattern, row.text);
    CHECK(Pattern(row.pattern).matches(row.text) == row.matches);
}

TEST_CASE("a pattern of many stars is not tried in every way") {
    std::string stars;
    for (int i = 0; i < 60; ++i) stars += "*a";
    CHECK_FALSE(Pattern(stars + "*b").matches(std::string(4096, 'a')));
}
