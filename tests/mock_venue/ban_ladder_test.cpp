// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/ban_ladder.hpp"

#include "mock-venue/bans.hpp"
#include "mock_venue/moments.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

namespace {

LadderRule three_strikes() {
    LadderRule rule;
    rule.ban_after = 3;
    rule.base = 2min;
    rule.max = 10min;
    rule.forget = 1h;
    rule.grace = 100ms;
    return rule;
}

// Enough rejections at `now` for a ban.
Instant earn_ban(BanLadder& ladder, Instant now) {
    std::optional<Instant> until;
    for (int i = 0; i < 3; ++i) until = ladder.reject(now, now + 10s);
    REQUIRE(until.has_value());
    return *until;
}

}  // namespace

TEST_CASE("the last of `ban_after` rejections within one penalty bans (L1)") {
    BanLadder ladder(three_strikes());
    CHECK_FALSE(ladder.reject(at(0s), at(10s)));
    CHECK_FALSE(ladder.reject(at(1s), at(10s)));
    CHECK_FALSE(ladder.banned_until(at(1s)));
    CHECK(ladder.reject(at(2s), at(10s)) == at(2s + 2min));
    CHECK(ladder.banned_until(at(2s)) == at(2s + 2min));
    CHECK(ladder.banned_until(at(2s + 2min - 1ns)));
    CHECK_FALSE(ladder.banned_until(at(2s + 2min)));
}

TEST_CASE("rejections of different penalties are not added up (L1)") {
    BanLadder ladder(three_strikes());
    for (const Nanos start : {0s, 10s, 20s, 30s}) {
        CHECK_FALSE(ladder.reject(at(start), at(start + 10s)));
        CHECK_FALSE(ladder.reject(at(start + 1s), at(start + 10s)));
    }
}

TEST_CASE("a ladder without `ban_after` never bans (L1)") {
    BanLadder ladder(LadderRule{});
    for (int i = 0; i < 1000; ++i) CHECK_FALSE(ladder.reject(at(0s), at(1h)));
}

TEST_CASE("bans grow for those who come back, up to the longest (L2)") {
    BanLadder ladder(three_strikes());
    Instant now = at(0s);
    for (const Nanos expected : {2min, 4min, 8min, 10min, 10min}) {
        const Instant until = earn_ban(ladder, now);
        CHECK(until - now == expected);
        now = until + 1s;
    }
}

TEST_CASE("a ban long past is forgotten (L2)") {
    BanLadder ladder(three_strikes());
    const Instant first = earn_ban(ladder, at(0s));
    const Instant just_within = first + 1h - 1ns;
    CHECK(earn_ban(ladder, just_within) == just_within + 4min);
    const Instant long_after = just_within + 4min + 1h;
    CHECK(earn_ban(ladder, long_after) == long_after + 2min);
}

TEST_CASE("a request during a ban doubles it and starts it over (L3)") {
    BanLadder ladder(three_strikes());
    earn_ban(ladder, at(0s));
    CHECK(ladder.knock(at(99ms)) == at(2min));  // within the grace
    CHECK(ladder.knock(at(1s)) == at(1s + 4min));
    CHECK(ladder.knock(at(1s + 50ms)) == at(1s + 4min));
    CHECK(ladder.knock(at(2s)) == at(2s + 8min));
    CHECK(ladder.knock(at(3s)) == at(3s + 10min));
    CHECK(ladder.knock(at(4s)) == at(4s + 10min));
}

TEST_CASE("a ladder that does not extend leaves a ban as it is (L3)") {
    LadderRule rule = three_strikes();
    rule.extends = false;
    BanLadder ladder(rule);
    earn_ban(ladder, at(0s));
    CHECK(ladder.knock(at(1min)) == at(2min));
}

TEST_CASE("an imposed ban never shortens the one that stands (L4)") {
    BanLadder ladder(three_strikes());
    earn_ban(ladder, at(0s));
    ladder.impose(at(1s), at(2s));
    CHECK(ladder.banned_until(at(1s)) == at(2min));
    ladder.impose(at(1s), at(5min));
    CHECK(ladder.banned_until(at(1s)) == at(5min));
}

TEST_CASE("each address has its own ladder, and a venue's stop is for all") {
    Bans bans(three_strikes(), 418);
    for (int i = 0; i < 3; ++i) bans.reject("127.0.0.1", at(0s), at(10s));
    CHECK(bans.arrive("127.0.0.1", at(1ms))->until == at(2min));
    CHECK_FALSE(bans.arrive("127.0.0.2", at(1ms)));

    bans.stop_venue("admin", 403, at(1s), at(3s), false);
    CHECK(bans.arrive("127.0.0.1", at(1s))->status == 418);  // the later end
    CHECK(bans.arrive("127.0.0.2", at(2s))->status == 403);
    CHECK_FALSE(bans.arrive("127.0.0.2", at(3s)));

    REQUIRE(bans.records().size() == 2);
    CHECK(bans.records()[0].cause == "ladder");
    CHECK(bans.records()[0].address == "127.0.0.1");
    CHECK(bans.records()[0].arrivals == 2);
    CHECK(bans.records()[1].cause == "admin");
    CHECK(bans.records()[1].arrivals == 2);
    CHECK(bans.records()[1].last_arrival == at(2s));
}

TEST_CASE("a second stop of the venue never shortens the first (L4)") {
    Bans bans(LadderRule{}, 418);
    bans.stop_venue("admin", 418, at(0s), at(10s), false);
    CHECK(bans.stop_venue("admin", 418, at(1s), at(2s), false).until == at(10s));
    CHECK(bans.arrive("127.0.0.1", at(5s)));
}
