// SPDX-License-Identifier: Apache-2.0
//
// Leap seconds, decades of uptime, and wall clocks of any year.
#include "core/clock_host.hpp"

using namespace core_test;

TEST_CASE("a leap second repeats 23:59:59: the day and the minute hold, and the next ones open") {
    for (const std::int64_t window : {10 * s, minute, day}) {
        const LimitRecord record = record_of(limit(LimitKind::fixed, 10, window));
        const Instant midnight = 3 * day;
        Host host(record, midnight - 5 * s, 0);
        host.drain();
        REQUIRE(units_of(host.drawn()) == 10);
        Random random(1);
        host.pass(5 * s, random);
        host.step_by(-s);  // 24:00:00 is 23:59:59 once more
        const std::int64_t wait = host.drain();
        REQUIRE(wait == s + record.slack_ns);
        REQUIRE(units_of(host.drawn()) == 10);
        host.pass(wait, random);
        host.drain();
        REQUIRE(units_of(host.drawn()) == 20);
    }
}

TEST_CASE("20 years of uptime, into the 2050s: windows open, buckets refill, nothing is refused") {
    const Instant up = 20 * year_ns;
    for (const std::int64_t offset : {venue_offset, 2'000'000'000 * s}) {  // utc up to 2053
        for (const LimitKind kind : {LimitKind::fixed, LimitKind::bucket, LimitKind::rolling}) {
            const LimitRecord record = record_of(limit(kind, 100, minute, 20));
            Host host(record, up, offset);
            Random random(7);
            for (int act = 0; act < 60; ++act) {
                REQUIRE(host.drain(30) <= host.longest_wait());
                host.wait_for_one();
                host.pass(3 * s, random);
                REQUIRE(valid(host.budget().state()));
            }
            const auto over = broken(record, host.drawn(), offset);
            if (over) FAIL(*over);
            REQUIRE(units_of(host.drawn()) >= 200);  // three minutes of 100, less burst and slack
            REQUIRE(pause(host.budget().state(), host.budget().rules(), PauseKind::ban, none,
                          host.now() + day, host.now()));
            REQUIRE(host.drain() >= day);
        }
    }
}

TEST_CASE("a wall clock set to any year: the state stays sound, and the way back is open") {
    const LimitRecord record = record_of(limit(LimitKind::fixed, 10, minute));
    Host host(record, hour, venue_offset);
    Random random(3);
    for (const std::int64_t offset :
         {std::int64_t{0}, -hour, 2'300'000'000 * s, 2'600'000'000 * s, 4'000'000'000 * s,
          9'200'000'000 * s, -9'200'000'000 * s, venue_offset}) {
        INFO("offset " << offset);
        host.step_to(offset);
        REQUIRE(host.drain() <= host.longest_wait());
        host.pass(2 * minute, random);
        const std::size_t before = host.drawn().size();
        host.pass(host.drain(), random);  // perhaps between two windows
        host.drain();
        REQUIRE(host.drawn().size() - before >= 10);
    }
    const auto over = free_window(record, host.drawn(), host.steps());
    if (over) FAIL(*over);
}

TEST_CASE("D01: a limit idle for a year gives one burst, and no window more than its quota") {
    for (const LimitKind kind :
         {LimitKind::fixed, LimitKind::bucket, LimitKind::rolling, LimitKind::spacing}) {
        for (const std::int64_t window : {10 * s, minute, day}) {
            const std::uint64_t quota = kind == LimitKind::spacing ? 1 : 60;
            const LimitRecord record = record_of(limit(kind, quota, window, quota > 1 ? 15 : 0));
            Host host(record, hour, venue_offset);
            host.drain();
            Random random(5);
            host.pass(year_ns + 3 * s, random);
            const std::uint64_t before = units_of(host.drawn());
            host.drain();
            const std::uint64_t burst = kind == LimitKind::fixed ? quota : record.burst;
            REQUIRE(units_of(host.drawn()) - before <= burst);
            REQUIRE(units_of(host.drawn()) > before);
            for (int act = 0; act < 40; ++act) {
                host.pass(window / 16, random);
                host.drain();
            }
            const auto over = broken(record, host.drawn(), venue_offset);
            if (over) FAIL(*over);
        }
    }
}
