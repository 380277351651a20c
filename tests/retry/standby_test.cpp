// SPDX-License-Identifier: Apache-2.0
#include "core/backoff.hpp"
#include "retry/chance.hpp"
#include "retry/order_stage.hpp"
#include "support/child_process.hpp"

#include <set>

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE(
    "A26: ten rejections in a row break the circuit; the venue's ban for errors is never reached") {
    OrderStage stage;
    Breaker breaker;
    stage.policy.breaker = &breaker;
    std::vector<BootTime> errors;
    bool is_banned = false;
    int told = 0;
    const BootTime end = stage.now() + 5min;
    for (int n = 0; stage.now() < end; ++n) {
        stage.order.client_id = "a26-" + std::to_string(n);
        const auto result = stage.place([&](auto) {
            errors.push_back(stage.now());
            const auto recent = std::count_if(errors.begin(), errors.end(),
                                              [&](BootTime t) { return stage.now() - t < 60s; });
            is_banned = is_banned || recent >= 30;
            return status(400, R"({"msg":"Account has insufficient balance"})");
        });
        if (result.state == OrderState::refused) {
            ++told;
            CHECK(result.reason.ends_with("too many rejections in a row: nothing sent"));
            CHECK(result.until > stage.now());
        }
        stage.advance(1s);
    }
    CHECK_FALSE(is_banned);
    CHECK(errors.size() >= 11);  // and one tries again after each rest
    CHECK(errors.size() <= 14);
    CHECK(told > 250);
}

TEST_CASE(
    "a breaker rests longer after each failed try, at most as long as it may, and an acceptance "
    "ends it") {
    Breaker breaker({.in_a_row = 2, .rest = 10s, .rest_most = 30s});
    BootTime now{1'000s};
    BootTime until{};
    CHECK(breaker.allows(now, until));
    breaker.note_rejection(now);
    breaker.note_rejection(now);
    for (const auto rest : {10s, 20s, 30s, 30s}) {
        CHECK_FALSE(breaker.allows(now, until));
        CHECK(until == now + rest);
        CHECK_FALSE(breaker.allows(until - 1ns, until));
        now = until;
        CHECK(breaker.allows(now, until));        // one
        CHECK_FALSE(breaker.allows(now, until));  // alone
        breaker.note_rejection(now);
        breaker.note_rejection(now);  // of something older: says nothing new
    }
    now += 30s;
    CHECK(breaker.allows(now, until));
    breaker.note_acceptance();
    CHECK(breaker.allows(now, until));
    breaker.note_rejection(now);
    CHECK(breaker.allows(now, until));
}

TEST_CASE("rejections with an acceptance between them never break the circuit") {
    Breaker breaker({.in_a_row = 3});
    BootTime until{};
    for (int i = 0; i < 100; ++i) {
        breaker.note_rejection(BootTime(1s));
        breaker.note_rejection(BootTime(1s));
        breaker.note_acceptance();
    }
    CHECK(breaker.allows(BootTime(1s), until));
}

TEST_CASE("a call whose breaker rests sends nothing, and says until when") {
    Stage stage;
    auto port = stage.port();
    Breaker breaker({.in_a_row = 1, .rest = 1min});
    Script venue(port, {{400}});
    const CallPolicy policy{.breaker = &breaker};
    CHECK(retry::call(port, cost_of(port), policy, venue).state == CallState::rejected);
    const auto broken = retry::call(port, cost_of(port), policy, venue);
    CHECK(broken.state == CallState::broken);
    CHECK(broken.until == stage.now() + 1min);
    CHECK(venue.sent.size() == 1);
}

TEST_CASE(
    "the fallback books one request a stretch, never opens, and books nothing behind a deadline") {
    FallbackBudget fallback({.between = 2s, .for_reads = false});
    CHECK(fallback.serves(Intent::close));
    CHECK_FALSE(fallback.serves(Intent::read));
    CHECK_FALSE(fallback.serves(Intent::open));
    const BootTime now{100s};
    CHECK(fallback.book(now, now + 10s) == now);
    CHECK(fallback.book(now, now + 10s) == now + 2s);
    CHECK(fallback.book(now, now + 1s) == now + 4s);  // told, not booked
    CHECK(fallback.book(now, now + 10s) == now + 4s);
    CHECK(fallback.book(now + 1min, now + 2min) == now + 1min);
}

TEST_CASE("D21: processes forked from one draw different jitter") {
    struct Draws {
        std::array<std::array<std::int64_t, 8>, 8> of{};
    };
    const Shared<Draws> draws;
    static_cast<void>(retry::random_bits());  // the parent has drawn before
    std::vector<ChildProcess> children;
    for (std::size_t p = 0; p < 8; ++p) {
        children.emplace_back([&, p] {
            core::BackoffRun run;
            for (auto& wait : draws->of[p]) {
                wait = core::next_wait_ns({.base = 10s, .cap = 10s}, run, retry::random_bits());
            }
            return 0;
        });
    }
    for (auto& child : children) REQUIRE(child.wait() == 0);
    std::set<std::int64_t> distinct;
    for (const auto& own : draws->of) distinct.insert(own.begin(), own.end());
    CHECK(distinct.size() == 64);
}
