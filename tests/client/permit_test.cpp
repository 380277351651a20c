// SPDX-License-Identifier: Apache-2.0
#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

// A refusal's word: nothing a nanosecond before retry_at, a permit at it.
void check_retry_at(Scene& scene, Budget& budget, const Cost& cost) {
    const auto refused = must(budget.try_acquire(cost));
    REQUIRE_FALSE(refused);
    REQUIRE(refused.retry_at() > scene.now());
    scene.advance_to(refused.retry_at() - 1ns);
    CHECK_FALSE(must(budget.try_acquire(cost)));
    scene.advance(1ns);
    CHECK(must(budget.try_acquire(cost)));
}

}  // namespace

TEST_CASE(
    "G1: no window of a fixed limit gets more than its quota, and permits carry their validity") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    auto cost = must(budget.cost({{"weight", 30}}));
    const auto granted = must(budget.try_acquire(cost));
    REQUIRE(granted);
    CHECK(granted.permit().id() != 0);
    CHECK(granted.permit().at() == scene.now());
    CHECK(granted.permit().valid_until() == scene.now() + 59s - 125ms);
    CHECK(drain(budget, cost) == 2);
    check_retry_at(scene, budget, cost);
    CHECK(drain(budget, cost) == 2);
}

TEST_CASE("retry_at is true for each kind of limit") {
    Scene scene;
    auto spacing = fixed("spacing", 1, 3s);
    spacing.kind = LimitKind::spacing;
    auto bucket = fixed("bucket", 10, 10s);
    bucket.kind = LimitKind::bucket;
    bucket.burst = 5;
    for (const auto& limit : {rolling("rolling", 10, 5), spacing, bucket}) {
        auto budget = must(client::Opening::open(limit.name, {&limit, 1},
                                                 {.label = "test", .full = true}, scene.clock));
        auto cost = must(budget.cost({{limit.name, 1}}));
        CHECK(drain(budget, cost) >= 1);
        for (int i = 0; i < 5; ++i) check_retry_at(scene, budget, cost);
    }
}

TEST_CASE(
    "G6: acquire that cannot be served by its deadline is refused at once, with the instant") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    auto cost = must(budget.cost({{"weight", 100}}));
    CHECK(must(budget.acquire(cost, 0s)));
    const auto refused = must(budget.acquire(cost, 10s));
    CHECK(refused.refusal() == Refusal::not_yet);
    CHECK(refused.retry_at() - scene.now() == 59s + 250ms);
    CHECK(must(budget.acquire(cost, scene.now() - 1h)).refusal() == Refusal::not_yet);
    CHECK(must(budget.acquire(cost, -1s)).refusal() == Refusal::not_yet);
}

TEST_CASE("G5: reservations are given in order of arrival, and each is handed out once") {
    Scene scene;
    auto budget = scene.open({rolling("orders", 10, 1)});
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    std::vector<Reservation> line(5);
    BootTime last{};
    for (auto& reservation : line) {
        CHECK_FALSE(must(budget.reserve(cost, scene.now() + 1h, reservation)));
        REQUIRE(reservation.id() != 0);
        CHECK(reservation.at() > last);
        last = reservation.at();
    }
    for (auto& reservation : line) {
        scene.advance_to(reservation.at() - 1ns);
        CHECK(must(budget.confirm(reservation)).refusal() == Refusal::not_yet);
        CHECK(reservation.id() != 0);
        scene.advance(1ns);
        CHECK(must(budget.confirm(reservation)));
        CHECK(reservation.id() == 0);
        CHECK_FALSE(must(budget.confirm(reservation)));
    }
}

TEST_CASE("a reservation that was not confirmed in time has lapsed and stays spent") {
    Scene scene;
    auto budget = scene.open({rolling("orders", 1, 1, 1min)});
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    Reservation reservation;
    must(budget.reserve(cost, scene.now() + 1h, reservation));
    scene.advance_to(reservation.at() + 126ms);
    const auto late = must(budget.confirm(reservation));
    CHECK(late.refusal() == Refusal::not_yet);
    CHECK(reservation.id() == 0);
    CHECK(late.retry_at() == scene.now());
    CHECK(must(budget.try_acquire(cost)).retry_at() > scene.now() + 59s);
}

TEST_CASE("a cancelled reservation frees its units exactly, and those behind it move up") {
    Scene scene;
    auto budget = scene.open({rolling("orders", 10, 1)});
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    Reservation first;
    Reservation second;
    must(budget.reserve(cost, scene.now() + 1h, first));
    must(budget.reserve(cost, scene.now() + 1h, second));
    const auto place = first.at();
    CHECK_FALSE(budget.may_have_moved(second));
    CHECK(must(budget.cancel(first)));
    CHECK(first.id() == 0);
    CHECK_FALSE(must(budget.cancel(first)));
    CHECK_FALSE(must(budget.confirm(second)));
    CHECK(second.at() == place);
    scene.advance_to(second.at());
    CHECK_FALSE(must(budget.cancel(second)));
}

TEST_CASE("a permit of a fixed limit can be given back while its window runs, and once") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100), rolling("orders", 10, 4)});
    auto cost = must(budget.cost({{"weight", 60}, {"orders", 1}}));
    auto granted = must(budget.try_acquire(cost));
    CHECK_FALSE(must(budget.try_acquire(cost)));
    CHECK(must(budget.cancel(granted.permit())) == 60);
    CHECK(granted.permit().id() == 0);
    CHECK(must(budget.cancel(granted.permit())) == 0);
    auto again = must(budget.try_acquire(cost));
    REQUIRE(again);
    scene.advance(1min);
    CHECK(must(budget.cancel(again.permit())) == 0);
    // In a rolling limit nothing comes back.
    auto orders = must(budget.cost({{"orders", 4}}));
    scene.advance(10s);
    auto burst = must(budget.try_acquire(orders));
    CHECK(must(budget.cancel(burst.permit())) == 0);
    CHECK_FALSE(must(budget.try_acquire(orders)));
    const auto counters = must(budget.snapshot()).counters;
    CHECK(std::find(counters.begin(), counters.end(),
                    std::pair<std::string, std::uint64_t>("ignored_refunds", 2)) != counters.end());
}

TEST_CASE(
    "A32, D14: a quarter of the calendar is one client's, the last eighth is for the critical "
    "lane") {
    Scene scene;
    auto limit = rolling("orders", 100, 1);
    limit.reserve_percent = 10;
    const OpenOptions options{.reservations = 16, .full = true};
    std::vector<Budget> clients;
    for (int i = 0; i < 5; ++i) clients.push_back(scene.open({limit}, options));
    auto cost = must(clients[0].cost({{"orders", 1}}));
    while (must(clients[0].try_acquire(cost))) {
    }
    std::vector<Reservation> kept;
    const auto fill = [&](Budget& budget, const Cost& what) {
        int entered = 0;
        for (;; ++entered) {
            Reservation reservation;
            const auto decision = must(budget.reserve(what, scene.now() + 24h, reservation));
            if (reservation.id() == 0) {
                CHECK(decision.refusal() == Refusal::calendar_full);
                return entered;
            }
            kept.push_back(std::move(reservation));
        }
    };
    CHECK(fill(clients[0], cost) == 4);
    CHECK(fill(clients[1], cost) == 4);
    CHECK(fill(clients[2], cost) == 4);
    CHECK(fill(clients[3], cost) == 2);
    while (must(clients[4].try_acquire(cost.with(Lane::critical)))) {
    }
    CHECK(fill(clients[4], cost.with(Lane::critical)) == 2);
}

TEST_CASE("shadow counts and reports without holding anyone up") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 10)}, {.full = true, .shadow = true});
    auto cost = must(budget.cost({{"weight", 1}}));
    CHECK(drain(budget, cost, 25) == 25);
    must(budget.pause(PauseKind::cooldown, scene.now() + 1min));
    CHECK(must(budget.try_acquire(cost)));
    const auto snapshot = must(budget.snapshot());
    CHECK(snapshot.shadow);
    CHECK(snapshot.shadow_overruns >= 15);
}
