// SPDX-License-Identifier: Apache-2.0
//
// Waits on the host's clock. What is checked is what was decided, never how long it took.
#include <thread>

#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

Budget open_now(const std::vector<LimitDefinition>& limits) {
    return must(Budget::open("budget", limits, {.label = "test", .full = true}));
}

void until_somebody_waits(const Budget& budget, std::size_t count = 1) {
    while (must(budget.snapshot()).reservations.size() < count) std::this_thread::yield();
}

}  // namespace

TEST_CASE("acquire sleeps until its turn and not less") {
    ScratchDirectory directory;
    auto budget = open_now({rolling("orders", 50, 1, 1s)});
    auto cost = must(budget.cost({{"orders", 1}}));
    BootTime last{};
    for (int i = 0; i < 20; ++i) {
        const auto decision = must(budget.acquire(cost, 1min));
        REQUIRE(decision);
        const auto now = BootClock::now();
        CHECK(decision.permit().at() <= now);
        CHECK(decision.permit().at() - last >= 20ms);
        last = decision.permit().at();
    }
}

TEST_CASE(
    "G2: a waiter learns at once that a pause pushed it past its deadline, and when to come back") {
    ScratchDirectory directory;
    auto budget = open_now({rolling("orders", 1, 1, 1min)});
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    const auto end = BootClock::now() + 1h;
    Result<Decision> answer;
    std::thread waiter([&] { answer = budget.acquire(cost, 10min); });
    until_somebody_waits(budget);
    must(budget.pause(PauseKind::cooldown, end));
    waiter.join();
    const auto refused = must(std::move(answer));
    CHECK(refused.refusal() == Refusal::paused);
    CHECK(refused.resume_after() == end);
    CHECK(refused.retry_at() >= end);
}

TEST_CASE("a waiter is told of a halt, of a destroyed budget, and of room that came free") {
    ScratchDirectory directory;
    auto budget = open_now({rolling("orders", 1, 1, 1min)});
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    Result<Decision> answer;
    SECTION("halt") {
        std::thread waiter([&] { answer = budget.acquire(cost, 10min); });
        until_somebody_waits(budget);
        must(budget.halt("test"));
        waiter.join();
        CHECK(must(std::move(answer)).refusal() == Refusal::halted);
    }
    SECTION("destroy") {
        std::thread waiter([&] { answer = budget.acquire(cost, 10min); });
        until_somebody_waits(budget);
        must(destroy("budget"));
        waiter.join();
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::detached);
    }
    SECTION("a looser limit") {
        std::thread waiter([&] { answer = budget.acquire(cost, 10min); });
        until_somebody_waits(budget);
        must(budget.reset(false));
        must(budget.pause(PauseKind::manual, BootClock::now() + 1h));
        waiter.join();
        CHECK_FALSE(must(std::move(answer)));
    }
}

TEST_CASE("a wait for a reservation ends when it may have moved, or at the instant given") {
    ScratchDirectory directory;
    auto budget = open_now({rolling("orders", 1, 1, 1min)});
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    Reservation reservation;
    must(budget.reserve(cost, BootClock::now() + 1h, reservation));
    const auto until = BootClock::now() + 5ms;
    while (BootClock::now() < until) budget.wait(reservation, until);
    CHECK_FALSE(budget.may_have_moved(reservation));
    std::thread stopper([&] { must(budget.pause(PauseKind::manual, BootClock::now() + 2min)); });
    while (!budget.may_have_moved(reservation)) budget.wait(reservation, BootTime::max());
    stopper.join();
    CHECK_FALSE(must(budget.confirm(reservation)));
    CHECK(reservation.at() > BootClock::now() + 1min);
}
