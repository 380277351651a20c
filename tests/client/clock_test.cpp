// SPDX-License-Identifier: Apache-2.0
//
// What a host's clocks may do to clients, through the clock seam. The venue counts by boot time.
#include <filesystem>

#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("G1, D19: steps of an hour and a day under two clients: no minute of the venue's over") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100)};
    auto one = scene.open(limits);
    auto two = scene.open(limits);
    auto cost = must(one.cost({{"weight", 7}}));
    const auto began = scene.now() - 1s;  // of a minute, by the venue's clock
    std::vector<int> minutes(12);
    const std::vector<std::chrono::nanoseconds> steps = {1h, -1h, 24h, -24h, 25h, -1h};
    for (std::size_t act = 0; act < 12 * 5; ++act) {
        if (act % 3 == 1) scene.clock.step_utc(steps[act / 3 % steps.size()].count());
        auto& budget = act % 2 == 0 ? one : two;
        const auto minute = static_cast<std::size_t>((scene.now() - began) / 1min);
        for (;;) {
            const auto decision = must(budget.try_acquire(cost));
            if (!decision) {
                CHECK(decision.retry_at() - scene.now() <= 1min + 250ms);
                break;
            }
            minutes[minute] += 7;
        }
        scene.advance(act % 5 == 4 ? 15s : 11'250ms);
    }
    for (const int units : minutes) CHECK(units <= 100);
    CHECK(minutes[0] == 98);
}

TEST_CASE("D19: the journal tells of a step of the wall clock, once, and not of its drift") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100)};
    auto one = scene.open(limits);
    auto two = scene.open(limits);
    const auto draw = [&](Budget& budget) {
        scene.advance(2s);
        return must(budget.try_acquire(must(budget.cost({{"weight", 1}})))).granted();
    };
    const auto steps = [&] {
        std::vector<std::string> told;
        for (const auto& entry : must(read_journal("budget", 64))) {
            if (entry.kind == "clock_step") told.push_back(entry.text);
        }
        return told;
    };
    REQUIRE(draw(one));
    scene.clock.step_utc(400 * core::millisecond_ns);
    REQUIRE(draw(one));
    CHECK(steps().empty());
    scene.clock.step_utc(-90 * core::second_ns);
    draw(two);
    draw(one);
    CHECK(steps() == std::vector<std::string>{"the wall clock was stepped by -90.000 s"});
}

TEST_CASE("C24, D19: a pause ends after its own time, whatever the wall clock does meanwhile") {
    Scene scene;
    auto budget = scene.open({rolling("orders", 10, 5)});
    auto cost = must(budget.cost({{"orders", 1}}));
    const auto end = scene.now() + 120s;
    must(budget.pause(PauseKind::cooldown, end));
    for (const std::chrono::nanoseconds step : {1h, -1h, -24h, 48h, 24h * 365 * 20}) {
        scene.advance(2s);
        scene.clock.step_utc(step.count());
        CHECK(must(budget.try_acquire(cost)).resume_after() == end);
    }
    SECTION("and over a suspend") {
        scene.advance(10h);
        CHECK(must(budget.try_acquire(cost)));
    }
    SECTION("to the nanosecond") {
        scene.advance_to(end - 1ns);
        CHECK_FALSE(must(budget.try_acquire(cost)));
        CHECK(must(budget.snapshot()).pause_until[0] == end.time_since_epoch().count());
    }
}

TEST_CASE("G8: a ban saved before the wall clock stepped is saved anew: it does not end early") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    const auto end = scene.now() + 2h;
    {
        auto budget = scene.open(limits);
        auto cost = must(budget.cost({{"orders", 1}}));
        must(budget.pause(PauseKind::ban, end));
        CHECK(must(budget.snapshot()).stops_saved);
        scene.advance(2s);
        scene.clock.step_utc(3'600 * core::second_ns);
        CHECK_FALSE(must(budget.try_acquire(cost)));
        must(
            budget.pause(PauseKind::manual, scene.now() + 1s));  // too short to be saved for itself
        CHECK(must(budget.snapshot()).stops_saved);
    }
    std::filesystem::remove(scene.file());
    auto budget = scene.open(limits);
    const auto refused = must(budget.try_acquire(must(budget.cost({{"orders", 1}}))));
    CHECK(refused.resume_after() == end);
}

TEST_CASE("a client that comes back after a year, or after 20 years of uptime, gets one window") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100), rolling("orders", 10, 5)});
    auto weight = must(budget.cost({{"weight", 1}}));
    auto orders = must(budget.cost({{"orders", 1}}));
    for (const auto away : {24h * 366, 24h * 365 * 19}) {
        scene.advance(away);
        CHECK(drain(budget, weight) <= 100);
        CHECK(drain(budget, orders) <= 5);
        scene.advance(2min + 20s);
        CHECK(drain(budget, weight) == 100);
        CHECK(drain(budget, orders) >= 4);
    }
}
