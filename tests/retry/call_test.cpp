// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "retry/order_stage.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("C4: a success gives back what its last retry cost, or one unit where there was none") {
    Stage stage;
    auto port = stage.port();
    REQUIRE(must(port.spend_retry_units(100)));
    Script good(port, {{200}});
    REQUIRE(retry::call(port, cost_of(port), {}, good));
    CHECK(retry_units_left(port) == 401);
    Script timeout(port, {{0}, {200}});
    REQUIRE(retry::call(port, cost_of(port), {}, timeout));
    CHECK(retry_units_left(port) == 401);  // 10 taken, 10 back
    Script twice(port, {{0}, {503}, {200}});
    REQUIRE(retry::call(port, cost_of(port), {}, twice));
    CHECK(retry_units_left(port) == 391);  // 15 taken, 5 back
    Script refused(port, {{400}});
    CHECK_FALSE(retry::call(port, cost_of(port), {}, refused));
    CHECK(retry_units_left(port) == 391);  // no success, no credit
}

TEST_CASE("C4: without retry units a read is sent once, and the result says why") {
    Stage stage;
    auto port = stage.port();
    REQUIRE(must(port.spend_retry_units(497)));
    Script dead(port, {{503}});
    const auto result = retry::call(port, cost_of(port), {.label = "depth"}, dead);
    CHECK(result.state == CallState::no_retry_units);
    CHECK(result.reason == "depth: the host has no retry units left, status 503");
    CHECK(dead.sent.size() == 1);
    CHECK(result.halted);
    CHECK(port.sleeps.empty());
}

TEST_CASE("C5: jitter comes after the named instant, of pauses and of single requests") {
    Stage stage;
    auto port = stage.port();
    for (const int code : {429, 503}) {
        Script venue(port, {{code, "", "7"}, {200}});
        const BootTime start = stage.now();
        REQUIRE(retry::call(port, cost_of(port), {.backoff = {Jitter::full, 2s, 30s}}, venue));
        CHECK(venue.sent[1] > start + 7s);
        CHECK(venue.sent[1] < start + 7s + 2s + 250ms);
    }
}

TEST_CASE("C5: a next attempt behind the deadline ends the call before it, and costs nothing") {
    Stage stage;
    auto port = stage.port();
    Script venue(port, {{503}});
    const BootTime start = stage.now();
    const auto result =
        retry::call(port, cost_of(port), {.within = 3s, .backoff = {Jitter::none, 2s, 30s}}, venue);
    CHECK(result.state == CallState::out_of_time);
    CHECK(result.sends == 2);
    CHECK(stage.since(start) == 2s);
    CHECK(retry_units_left(port) == 495);
    CHECK(port.halts == 0);
}

TEST_CASE("C1: no permit, no send; the result says until when") {
    Stage stage;
    auto port = stage.port();
    must(port.budget().pause(PauseKind::ban, stage.now() + 1h));
    Script venue(port, {{200}});
    const auto result = retry::call(port, cost_of(port), {.within = 10s}, venue);
    CHECK(result.state == CallState::refused);
    CHECK(result.refusal == Refusal::paused);
    CHECK(result.until == stage.now() + 1h);
    CHECK(result.reason == "request: the host is paused");
    CHECK(venue.sent.empty());
}

TEST_CASE("what send throws ends the call, and no exception leaves it") {
    Stage stage;
    auto port = stage.port();
    for (const Intent intent : {Intent::read, Intent::open}) {
        int sends = 0;
        const auto result =
            retry::call(port, cost_of(port, 1, intent), {}, [&](const Permit&) -> Reply {
                ++sends;
                throw std::runtime_error("out of sockets");
            });
        CHECK(result.state == CallState::unknown);
        CHECK(result.exception != nullptr);
        CHECK(result.may_be_done == (intent == Intent::open));
        CHECK(sends == 1);
    }
}

TEST_CASE(
    "a budget that cannot be had stops what opens; cancels and reads go at the fallback's pace") {
    Stage stage;
    auto port = stage.port();
    const Cost open = cost_of(port, 1, Intent::open);
    port.is_gone = true;
    FallbackBudget fallback({.between = 1s});
    const CallPolicy policy{.within = 1min, .fallback = &fallback};
    Script venue(port, {{200}});
    const auto refused = retry::call(port, open, policy, venue);
    CHECK(refused.state == CallState::failed);
    CHECK(refused.reason == "request: kill state unknown: the segment is gone");
    CHECK(venue.sent.empty());
    for (int i = 0; i < 3; ++i) {
        CHECK(retry::call(port, open.with(Intent::close), policy, venue));
        CHECK(retry::call(port, open.with(Intent::read), policy, venue));
    }
    REQUIRE(venue.sent.size() == 6);
    for (std::size_t i = 1; i < 6; ++i) CHECK(venue.sent[i] - venue.sent[i - 1] >= 1s);
    const auto without = retry::call(port, open.with(Intent::close), {}, venue);
    CHECK(without.state == CallState::failed);
    CHECK(venue.sent.size() == 6);
}

TEST_CASE("A08: a cancel of an unknown order is final, and nothing goes during a cooldown") {
    Stage stage;
    auto port = stage.port();
    const BootTime start = stage.now();
    BootTime limited_until{};
    std::vector<BootTime> deletes;
    int limited = 0;
    int bans = 0;
    const auto cancel = [&](const Permit&) {
        deletes.push_back(stage.now());
        if (stage.now() < limited_until) {
            ++bans;
            return status(418);
        }
        stage.advance(1s);
        if (limited > 0 || deletes.back() < start + 20s) return status(400, R"({"code":-2011})");
        ++limited;
        limited_until = stage.now() + 10s;
        static const Header wait{"Retry-After", "10"};
        Reply reply = status(429);
        reply.headers = {&wait, 1};
        return reply;
    };
    int final_answers = 0;
    for (int order = 0; order < 30; ++order) {
        const auto result =
            retry::call(port, cost_of(port, 1, Intent::close), {.within = 5s}, cancel);
        final_answers += result.state == CallState::rejected ? 1 : 0;
    }
    CHECK(deletes.size() <= 30);
    CHECK(limited == 1);
    CHECK(bans == 0);
    // Those of the cooldown were not sent, and each says until when.
    CHECK(final_answers == 20);
    CHECK(must(port.budget().snapshot()).pause_until[0] > stage.now().time_since_epoch().count());
}

TEST_CASE("A28: every send, first or repeated, draws on the limit; the venue never sees more") {
    Stage stage;
    auto port = stage.port({fixed("weight", 600)});
    std::map<std::int64_t, int> weight_by_minute;
    int sends = 0;
    int seen = 0;
    for (int wanted = 0; wanted < 60; ++wanted) {
        int tries = 0;
        const auto result =
            retry::call(port, cost_of(port, 10),
                        {.within = 1h, .backoff = {Jitter::full, 10ms, 50ms}}, [&](const Permit&) {
                            ++sends;
                            const auto utc = stage.clock.boot() + stage.clock.utc_offset();
                            weight_by_minute[utc / (60 * core::second_ns)] += 10;
                            return status(++tries <= 3 ? 500 : 200);
                        });
        seen += static_cast<int>(result.sends);
        if (wanted < 49) CHECK(result.sends == 4);
    }
    // Each call pays 15 retry units and gets 5 back: in the 50th the host can afford no more.
    CHECK(sends == 49 * 4 + 3 + 10);
    CHECK(seen == sends);
    for (const auto& [minute, weight] : weight_by_minute) CHECK(weight <= 600);
    CHECK(weight_by_minute.size() >= 4);  // failed sends are paid like the others
}

TEST_CASE(
    "B22: more than the client's maximum is honoured by the host, and not slept by the call") {
    Stage stage;
    auto port = stage.port();
    auto other = stage.port();
    const BootTime start = stage.now();
    Script venue(port, {{429, "", "86400"}});
    const CallPolicy policy{.within = 10s, .backoff = {Jitter::full, 500ms, 30s}};
    const auto result = retry::call(port, cost_of(port), policy, venue);
    CHECK(result.state == CallState::limited);
    CHECK(result.until == start + 24h);
    CHECK(stage.now() == start);
    for (const auto later : {10s, 30s, 3'600s, 86'399s}) {
        stage.advance_to(start + later);
        Script none(other, {{200}});
        const auto refused = retry::call(other, cost_of(other), {.within = 500ms}, none);
        CHECK(refused.refusal == Refusal::paused);
        CHECK(refused.until == start + 24h);
        CHECK(none.sent.empty());
    }
    stage.advance_to(start + 24h);
    Script three_days(port, {{429, "", "259200"}});
    CHECK(retry::call(port, cost_of(port), {.within = 2min}, three_days).until >=
          start + 24h + 72h);
}

TEST_CASE(
    "A19: a ban longer than the call's deadline is recorded in full, and no later call tries it") {
    Stage stage;
    auto one = stage.port();
    auto two = stage.port();
    const BootTime start = stage.now();
    Script ban(one, {{418, "", "720"}});
    const auto result = retry::call(one, cost_of(one), {.within = 60s}, ban);
    CHECK(result.state == CallState::banned);
    CHECK(result.until == start + 720s);
    CHECK(ban.sent.size() == 1);
    Script venue(two, {{200}});
    for (const auto at : {1s, 61s, 283s, 719s}) {
        stage.advance_to(start + at);
        CHECK_FALSE(retry::call(two, cost_of(two), {.within = 500ms}, venue));
    }
    CHECK(venue.sent.empty());
    stage.advance_to(start + 721s);
    CHECK(retry::call(two, cost_of(two), {.within = 10s}, venue));
}
