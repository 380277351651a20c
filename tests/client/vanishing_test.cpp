// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE(
    "C26: the name vanishes under two clients: one segment afterwards, with the later of both "
    "pauses") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    auto one = scene.open(limits);
    auto two = scene.open(limits);
    auto cost = must(one.cost({{"orders", 1}}));
    must(one.pause(PauseKind::ban, scene.now() + 8s));
    std::filesystem::remove_all(scene.directory.path() + "/state");
    std::filesystem::remove(scene.file());
    scene.advance(1'500ms);
    CHECK(must(one.try_acquire(cost)).refusal() == Refusal::paused);
    CHECK(must(one.pause(PauseKind::ban, scene.now() + 9s)));
    CHECK(must(two.try_acquire(cost)).resume_after() == scene.now() + 9s);
    const auto first = must(one.snapshot());
    const auto second = must(two.snapshot());
    CHECK(first.segment_id == second.segment_id);
    CHECK(second.clients.size() == 2);
    CHECK(second.probe_required);
}

TEST_CASE(
    "G1: a segment that takes the place of a lost one is cold, also where the lost one was made "
    "full") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)}, {.full = true});
    auto cost = must(budget.cost({{"weight", 1}}));
    CHECK(drain(budget, cost) == 100);
    std::filesystem::remove(scene.file());
    scene.advance(2s);
    const auto refused = must(budget.try_acquire(cost));
    CHECK_FALSE(refused);
    CHECK(refused.retry_at() > scene.now() + 50s);
    CHECK_FALSE(must(budget.snapshot()).full_start);
}

TEST_CASE(
    "a lost budget comes back with the limits that were in force, not with those of the program") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)}, {.clients = 7, .full = true});
    const auto stricter = fixed("weight", 40);
    must(budget.set({&stricter, 1}));
    std::filesystem::remove(scene.file());
    scene.advance(2s);
    auto cost = must(budget.cost({{"weight", 1}}));
    CHECK_FALSE(must(budget.try_acquire(cost)));
    const auto snapshot = must(budget.snapshot());
    CHECK(snapshot.limits.at(0).definition.quota == 40);
    CHECK(snapshot.capacity.clients == 7);
}

TEST_CASE("made anew with other limits: no request is charged to the wrong one") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100), fixed("raw", 50)});
    auto cost = must(budget.cost({{"weight", 1}}));
    std::filesystem::remove(scene.file());
    auto other = scene.open({fixed("raw", 50), fixed("weight", 100)});
    scene.advance(2s);
    const auto refused = budget.try_acquire(cost);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::detached);
    CHECK_THAT(refused.error().message, Catch::Matchers::Contains("weight"));
    CHECK_FALSE(budget.try_acquire(cost).has_value());
    CHECK(must(other.snapshot()).clients.size() == 1);
}

TEST_CASE("a late client does not bring back what was lifted in the new segment") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    auto early = scene.open(limits);
    auto late = scene.open(limits);
    auto cost = must(early.cost({{"orders", 1}}));
    must(early.halt("test"));
    std::filesystem::remove(scene.file());
    scene.advance(2s);
    CHECK(must(early.try_acquire(cost)).refusal() == Refusal::halted);
    must(early.unhalt("looked"));
    CHECK_FALSE(must(late.try_acquire(cost)).refusal() == Refusal::halted);
    CHECK_FALSE(must(early.snapshot()).halted);
}

TEST_CASE("reservations and permits of a lost segment mean nothing in the next") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 1), fixed("weight", 1'000)};
    auto budget = scene.open(limits);
    auto heavy = must(budget.cost({{"orders", 1}, {"weight", 900}}));
    auto light = must(budget.cost({{"orders", 1}, {"weight", 1}}));
    auto permit = must(budget.try_acquire(light));
    Reservation lost;
    must(budget.reserve(heavy, scene.now() + 1h, lost));
    REQUIRE(lost.id() != 0);
    std::filesystem::remove(scene.file());
    scene.advance(2s);
    Reservation fresh;
    must(budget.reserve(light, scene.now() + 1h, fresh));
    REQUIRE(fresh.id() != 0);
    CHECK(fresh.id() != lost.id());
    scene.advance_to(fresh.at());
    CHECK_FALSE(must(budget.confirm(lost)));
    CHECK(lost.id() == 0);
    CHECK(must(budget.cancel(permit.permit())) == 0);
    CHECK(must(budget.confirm(fresh)));
}
