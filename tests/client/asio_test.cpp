// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/asio.hpp>

#include <boost/asio/io_context.hpp>

#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("async_acquire: fifty at once are all granted, and the loop runs on meanwhile") {
    ScratchDirectory directory;
    auto budget = must(Budget::open("budget", {rolling("orders", 1'000, 5, 10s)}, {.full = true}));
    auto cost = must(budget.cost({{"orders", 1}}));
    boost::asio::io_context loop;
    const auto deadline = BootClock::now() + 1min;
    int granted = 0;
    bool initiating = false;
    std::vector<BootTime> instants;
    for (int i = 0; i < 50; ++i) {
        initiating = true;
        async_acquire(budget, cost, deadline, loop.get_executor(), [&](Result<Decision> decision) {
            CHECK_FALSE(initiating);
            REQUIRE(decision.has_value());
            CHECK(*decision);
            CHECK(decision->permit().at() <= BootClock::now());
            instants.push_back(decision->permit().at());
            ++granted;
        });
        initiating = false;
    }
    CHECK(granted == 0);
    // Turns that the loop makes while nobody's instant has come: one that slept would make none.
    int turns = 0;
    std::function<void()> turn = [&] {
        ++turns;
        if (granted < 50) boost::asio::post(loop, turn);
    };
    boost::asio::post(loop, turn);
    loop.run();
    CHECK(granted == 50);
    CHECK(turns > 50);
    std::sort(instants.begin(), instants.end());
    for (std::size_t i = 0; i + 5 < instants.size(); ++i) {
        CHECK(instants[i + 5] - instants[i] >= 10ms);
    }
}

TEST_CASE(
    "async_acquire: refusals and errors reach the handler, never inside the call that started it") {
    ScratchDirectory directory;
    auto budget = must(Budget::open("budget", {rolling("orders", 1, 1, 1h)}, {.full = true}));
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    boost::asio::io_context loop;
    int called = 0;
    bool initiating = true;
    async_acquire(budget, cost, BootClock::now() + 1s, loop.get_executor(),
                  [&](Result<Decision> decision) {
                      CHECK_FALSE(initiating);
                      CHECK(must(std::move(decision)).refusal() == Refusal::not_yet);
                      ++called;
                  });
    must(destroy("budget"));
    async_acquire(budget, cost, BootClock::now() + 1s, loop.get_executor(),
                  [&](Result<Decision> decision) {
                      CHECK_FALSE(initiating);
                      CHECK_FALSE(decision.has_value());
                      ++called;
                  });
    initiating = false;
    loop.run();
    CHECK(called == 2);
}

TEST_CASE(
    "async_acquire: a pause pushes a waiter past its deadline, and it learns when to come back") {
    ScratchDirectory directory;
    auto budget = must(Budget::open("budget", {rolling("orders", 1, 1, 30s)}, {.full = true}));
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    boost::asio::io_context loop;
    const auto end = BootClock::now() + 1h;
    bool called = false;
    async_acquire(budget, cost, BootClock::now() + 1min, loop.get_executor(),
                  [&](Result<Decision> decision) {
                      const auto refused = must(std::move(decision));
                      CHECK(refused.refusal() == Refusal::paused);
                      CHECK(refused.retry_at() >= end);
                      called = true;
                  });
    boost::asio::post(loop, [&] { must(budget.pause(PauseKind::cooldown, end)); });
    loop.run();
    CHECK(called);
}
