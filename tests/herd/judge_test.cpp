// SPDX-License-Identifier: Apache-2.0
#include "demo/judge.hpp"

#include <cmath>

#include "demo/report.hpp"
#include "support/catch.hpp"

using namespace demo;

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t s = 1'000 * ms;
constexpr std::int64_t offset = 1'000 * s;  // between the two clocks

Arrival arrival(std::int64_t boot, int status, const std::string& label = "w0") {
    Arrival made;
    made.boot_ns = boot;
    made.utc_ns = boot + offset;
    made.status = status;
    made.label = label;
    made.charges = {{"weight", 5}};
    return made;
}

Arrival ban(std::int64_t boot, std::int64_t until) {
    Arrival made = arrival(boot, 418);
    made.until_utc_ns = until + offset;
    return made;
}

Sent sent(std::int64_t granted, std::int64_t replied, int status) {
    Sent made;
    made.deciding_ns = granted;
    made.granted_ns = granted;
    made.replied_ns = replied;
    made.status = status;
    return made;
}

}  // namespace

TEST_CASE("calls, rejections and senders are counted, the last success from the start") {
    const Counts counts = count(
        {arrival(1 * s, 200), arrival(2 * s, 429), arrival(3 * s, 200, "w1"), arrival(4 * s, 429)},
        offset + s);
    CHECK(counts.calls == 4);
    CHECK(counts.accepted == 2);
    CHECK(counts.rejected == 2);
    CHECK(counts.senders == 2);
    CHECK(counts.last_success_ns == 2 * s);
    CHECK_FALSE(count({}, 0).last_success_ns.has_value());
}

TEST_CASE("only windows that lie in the time as a whole are judged, empty ones too") {
    const std::vector<Arrival> arrivals{arrival(9 * s, 200), arrival(10 * s, 200),
                                        arrival(19 * s, 200), arrival(21 * s, 429),
                                        arrival(30 * s, 200)};
    CHECK(used_by_window(arrivals, "weight", 10 * s, offset + 5 * s, offset + 35 * s) ==
          std::vector<std::uint64_t>{10, 0});
    CHECK(used_by_window(arrivals, "weight", 10 * s, offset, offset + 40 * s) ==
          std::vector<std::uint64_t>{5, 10, 0, 5});
    CHECK(used_by_window(arrivals, "weight", 10 * s, offset + 1, offset + 2).empty());
}

TEST_CASE("a sustained rate is taken from the first to the last of an account's requests") {
    std::vector<Arrival> arrivals;
    for (int i = 0; i < 11; ++i) arrivals.push_back(arrival(i * s / 5, 200));
    for (Arrival& each : arrivals) each.account = "acct:a";
    CHECK(std::abs(sustained_per_second(arrivals, "weight", "acct:a") - 5.0) < 1e-9);
    CHECK(sustained_per_second(arrivals, "weight", "acct:b") == 0);
    CHECK(sustained_per_second(arrivals, "orders", "acct:a") == 0);
}

TEST_CASE("a ban is told with its knocks, its silence and its probe") {
    const std::vector<Arrival> arrivals{arrival(1 * s, 200),
                                        ban(2 * s, 4 * s),
                                        ban(2 * s + 3 * ms, 4 * s),
                                        ban(2 * s + 9 * ms, 4 * s),
                                        arrival(4 * s + 2 * ms, 200),
                                        arrival(4 * s + 9 * ms, 200),
                                        ban(6 * s, 8 * s),
                                        ban(6 * s + 30 * ms, 8 * s)};
    const auto bans = bans_of(arrivals);
    REQUIRE(bans.size() == 2);
    CHECK(bans[0].knocks.size() == 2);
    CHECK(bans[0].stop_ns == 9 * ms);
    CHECK(bans[0].first_after_ns == 2 * ms);
    CHECK(bans[0].accepted_soon == 2);
    CHECK(bans[1].knocks.size() == 1);
    CHECK(bans[1].stop_ns == 30 * ms);
    CHECK_FALSE(bans[1].first_after_ns.has_value());
}

TEST_CASE("a knock is excused only by a permit that was in hand before the pause") {
    const auto bans = bans_of({ban(2 * s, 4 * s), ban(2 * s + 2 * ms, 4 * s),
                               ban(2 * s + 9 * ms, 4 * s), ban(2 * s + 30 * ms, 4 * s)});
    HerdLog log;
    Sent cause = sent(2 * s - ms, 2 * s + ms, 418);
    cause.paused_ns = 2 * s + ms;
    cause.pause_until_ns = 4 * s + ms;
    const auto knock = [&](std::int64_t granted, std::int64_t arrived) {
        Sent made = sent(granted, arrived + ms, 418);
        made.sent_ns = granted;
        return made;
    };
    log.sent = {cause, knock(2 * s, 2 * s + 2 * ms), knock(2 * s + 5 * ms, 2 * s + 9 * ms)};
    const auto stops = stops_of(bans, log);
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].not_on_their_way == 2);
}

TEST_CASE("a call that was under way when the pause was set may still give a permit") {
    const auto bans = bans_of({ban(2 * s, 4 * s)});
    HerdLog log;
    Sent cause = sent(2 * s - ms, 2 * s + ms, 418);
    cause.paused_ns = 2 * s + 2 * ms;
    cause.pause_until_ns = 4 * s + ms;
    Sent overlapping = sent(2 * s + 3 * ms, 2 * s + 4 * ms, 418);
    overlapping.deciding_ns = 2 * s + ms;
    log.sent = {cause, overlapping};
    CHECK(stops_of(bans, log)[0].permits_after == 0);
    log.sent[1].deciding_ns = 2 * s + 3 * ms;
    CHECK(stops_of(bans, log)[0].permits_after == 1);
}

TEST_CASE("permits after the pause and beside the probe are found") {
    const auto bans = bans_of({ban(2 * s, 4 * s)});
    HerdLog log;
    Sent cause = sent(2 * s - ms, 2 * s + ms, 418);
    cause.paused_ns = 2 * s + 2 * ms;
    cause.pause_until_ns = 4 * s + ms;
    log.sent = {cause,
                sent(2 * s + ms, 2 * s + 3 * ms, 418),
                sent(3 * s, 3 * s + ms, 418),
                sent(4 * s + 2 * ms, 4 * s + 6 * ms, 200),
                sent(4 * s + 4 * ms, 4 * s + 9 * ms, 200),
                sent(4 * s + 7 * ms, 4 * s + 9 * ms, 200)};
    log.told = {{1, 0, 3 * s, 4 * s + ms, 2 * s + 3 * ms},
                {2, 0, 3 * s, 4 * s + ms, 2 * s + 5 * ms},
                {1, 0, 3 * s, 4 * s + 2 * ms, 2 * s + 9 * ms},
                {3, 0, 4 * s + ms, 4 * s + 2 * ms, 2 * s + 9 * ms}};
    const auto stops = stops_of(bans, log);
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].permits_after == 1);
    CHECK(stops[0].beside_probe == 1);
    CHECK(stops[0].probe_status == 200);
    CHECK(stops[0].waiters_told == 2);
    CHECK(stops[0].last_told_ns == 4 * ms);
}

TEST_CASE("an equal request that overtakes is found, an unequal one may go first") {
    HerdLog log;
    const auto permit = [&](std::uint64_t id, const char* kind, std::int64_t at) {
        Sent made;
        made.permit = id;
        made.kind = kind;
        made.at_ns = at;
        log.sent.push_back(made);
    };
    permit(3, "a", 30);
    permit(1, "a", 10);
    permit(2, "b", 40);
    permit(4, "a", 30);
    CHECK(out_of_turn(log) == 0);
    permit(5, "a", 20);
    CHECK(out_of_turn(log) == 1);
    permit(0, "a", 5);
    CHECK(out_of_turn(log) == 1);
}

TEST_CASE("the last line has what was measured, in a fixed order") {
    Report report;
    report.calls = 100;
    report.rejected = 0;
    report.last_success_s = 9.0649;
    report.bound_s = 9;
    report.ban_requests = 0;
    report.stop_ms_p99 = 1.24;
    CHECK(last_line(report) ==
          "demo: calls=100 rejected=0 last_success_s=9.06 bound_s=9.0 ban_requests=0 "
          "stop_ms_p99=1.2");
    report.hold("ban", "x", "1", "0", false);
    report.hold("ban", "y", "0", "0", true);
    report.show("ban", "z", "7");
    REQUIRE(report.missed().size() == 1);
    CHECK(report.missed()[0].what == "x");
    CHECK(as_table(report).find("MISSED") != std::string::npos);
}
