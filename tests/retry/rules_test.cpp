// SPDX-License-Identifier: Apache-2.0
//
// The rules of "Exponential backoff and request budgets for trading APIs", one test each.
#include <set>

#include "retry/order_stage.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

LimitDefinition bucket_5_20() {
    LimitDefinition definition = fixed("weight", 5, 1s);
    definition.kind = LimitKind::bucket;
    definition.burst = 20;
    return definition;
}

const Backoff seed_backoff{.jitter = Jitter::full, .base = 500ms, .cap = 45s};

/// Most sends in any stretch of `length`.
std::size_t most_within(const std::vector<BootTime>& sent, std::chrono::nanoseconds length) {
    std::size_t most = 0;
    for (std::size_t first = 0, last = 0; last < sent.size(); ++last) {
        while (sent[last] - sent[first] >= length) ++first;
        most = std::max(most, last - first + 1);
    }
    return most;
}

}  // namespace

TEST_CASE("a bucket of 5 a second and burst 20 holds for everybody who draws from it together") {
    Stage stage;
    auto one = stage.port({bucket_5_20()});
    auto two = stage.port({bucket_5_20()});
    std::vector<BootTime> sent;
    for (int i = 0; i < 300; ++i) {
        auto& port = i % 2 == 0 ? one : two;  // two components, one budget
        const auto result = retry::call(port, cost_of(port), {.within = 10min}, [&](const Permit&) {
            sent.push_back(stage.now());
            return status(200);
        });
        REQUIRE(result);
    }
    CHECK(most_within(sent, 1ns) >= 15);  // a burst
    CHECK(most_within(sent, 1ns) <= 20);
    for (const auto seconds : {1, 5, 20, 50}) {
        CHECK(most_within(sent, std::chrono::seconds(seconds)) <=
              20 + 5 * static_cast<std::size_t>(seconds));
    }
    CHECK(sent.back() - sent.front() < 62s);  // and all of the rate is used
}

TEST_CASE("a 429 storm: every retry waits for Retry-After, and no two workers come back together") {
    Stage stage;
    auto port = stage.port();
    std::set<BootTime> back;
    const BootTime start = stage.now();
    for (std::uint64_t worker = 0; worker < 40; ++worker) {
        stage.clock.advance((start - stage.now()).count());  // all meet the 429 at once
        StagePort own = stage.port({fixed("weight", 6'000)}, worker);
        own.advise = [&](const Reply& reply) {  // each for itself: nothing is recorded
            Advice advice = advice_of(reply, stage.now());
            advice.scope = Scope::request;
            return advice;
        };
        Script storm(own, {{429, "", "3"}, {200}});
        REQUIRE(retry::call(own, cost_of(own), {.backoff = seed_backoff}, storm));
        REQUIRE(storm.sent.size() == 2);
        CHECK(storm.sent[1] > start + 3s);
        CHECK(storm.sent[1] <= start + 3s + 500ms);
        back.insert(storm.sent[1]);
    }
    CHECK(back.size() == 40);
}

TEST_CASE("retry cap: six retries, then it gives up, with waits that stay under the cap") {
    Stage stage;
    auto port = stage.port();
    Script dead(port, {{503}});
    const auto result = retry::call(
        port, cost_of(port),
        {.attempts = 7, .within = 1h, .backoff = {Jitter::none, 1s, 5s}, .label = "markets"}, dead);
    CHECK(result.state == CallState::exhausted);
    CHECK(result.sends == 7);
    CHECK(result.reason == "markets: failed 7 times, status 503");
    CHECK(port.sleeps == std::vector<std::chrono::nanoseconds>{1s, 2s, 4s, 5s, 5s, 5s});
}

TEST_CASE(
    "kill switch: exhausted retries halt what opens, on the whole host, until it is cleared") {
    Stage stage;
    auto port = stage.port();
    auto other = stage.port();
    Script dead(port, {{503}});
    const auto result = retry::call(port, cost_of(port), {.attempts = 3}, dead);
    CHECK(result.state == CallState::exhausted);
    CHECK(result.halted);
    const Cost open = cost_of(other, 1, Intent::open);
    CHECK(must(other.budget().try_acquire(open)).refusal() == Refusal::halted);
    CHECK(must(other.budget().try_acquire(open.with(Intent::read))));
    CHECK(must(other.budget().try_acquire(open.with(Intent::close))));
    must(other.budget().unhalt("reconciled"));
    CHECK(must(port.budget().try_acquire(open)));
}

TEST_CASE("kill switch: a hook of the caller's own takes the place of the halt, once per call") {
    Stage stage;
    auto port = stage.port();
    std::vector<std::string> told;
    CallPolicy policy{.attempts = 2};
    policy.kill_switch = [&](const CallResult& result) { told.push_back(result.reason); };
    Script dead(port, {{503}});
    const auto result = retry::call(port, cost_of(port), policy, dead);
    CHECK(told == std::vector<std::string>{"request: failed 2 times, status 503"});
    CHECK_FALSE(result.halted);
    CHECK(port.halts == 0);
}

TEST_CASE("kill switch: a hook that throws leaves the halt set") {
    Stage stage;
    auto port = stage.port();
    CallPolicy policy{.attempts = 2};
    policy.kill_switch = [](const CallResult&) { throw std::runtime_error("attribute error"); };
    Script dead(port, {{503}});
    const auto result = retry::call(port, cost_of(port), policy, dead);
    CHECK(result.state == CallState::exhausted);
    CHECK(result.halted);
    CHECK(result.exception != nullptr);
    CHECK(must(port.budget().snapshot()).halted);
}

TEST_CASE("what is no rate limit and no failure is returned at once") {
    Stage stage;
    auto port = stage.port();
    for (const int code : {200, 204, 301, 400, 404, 409, 422}) {
        Script venue(port, {{code}});
        const auto result = retry::call(port, cost_of(port), {}, venue);
        CHECK(result.sends == 1);
        CHECK(result.state == (code < 300 ? CallState::done : CallState::rejected));
    }
    CHECK(port.sleeps.empty());
    CHECK(port.halts == 0);
}

TEST_CASE("never retry what is not idempotent: a POST that timed out was sent once") {
    Stage stage;
    auto port = stage.port();
    Script lost(port, {{0}, {200}});
    const auto result = retry::call(port, cost_of(port, 1, Intent::open), {}, lost);
    CHECK(result.state == CallState::unknown);
    CHECK(result.may_be_done);
    CHECK(lost.sent.size() == 1);
}

TEST_CASE("one bad hour: a wait longer than the call is an answer, not a sleep") {
    Stage stage;
    auto port = stage.port();
    Script venue(port, {{503, "", "3600"}});
    const BootTime start = stage.now();
    const auto result = retry::call(port, cost_of(port), {.within = 10s}, venue);
    CHECK(result.state == CallState::busy);
    CHECK(result.until == start + 1h);
    CHECK(stage.now() == start);
    CHECK(port.halts == 0);
}
