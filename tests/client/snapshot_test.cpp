// SPDX-License-Identifier: Apache-2.0
#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("a snapshot says what is there, who drew it, and who waits for what") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100), rolling("orders", 10, 2)};
    auto one = scene.open(limits, {.label = "md-gateway", .full = true});
    auto two = scene.open(limits, {.label = "quoter"});
    auto weight = must(one.cost({{"weight", 25}}));
    auto order = must(two.cost({{"weight", 1}, {"orders", 1}}));
    CHECK(drain(one, weight, 3) == 3);
    CHECK(drain(two, order) == 2);
    Reservation reservation;
    must(two.reserve(order, scene.now() + 1min, reservation));

    const auto s = must(read_snapshot("budget"));
    CHECK(s.name == "budget");
    CHECK(s.path == scene.file());
    CHECK(s.segment_id.size() == 32);
    CHECK(s.version > 5);
    CHECK(s.stops_saved);
    CHECK(s.capacity.bytes == std::filesystem::file_size(scene.file()));
    CHECK(must(one.snapshot()).state == BudgetState::empty);

    REQUIRE(s.limits.size() == 2);
    CHECK(s.limits[0].granted_permits == 5);
    CHECK(s.limits[0].granted_units == 77);
    CHECK(s.limits[0].refused == 1);
    CHECK(s.limits[0].sustained_per_second_milli > 1'600);
    REQUIRE(s.limits[0].drawn_by.size() == 2);
    CHECK(s.limits[0].drawn_by[0].label == "md-gateway");
    CHECK(s.limits[0].drawn_by[0].units == 75);
    CHECK(s.limits[0].drawn_by[1].units == 2);

    const auto here = must(one.snapshot());
    CHECK(here.limits[0].cells.at(0).lanes.at(0).used == 77);
    CHECK(here.limits[0].cells[0].lanes[0].available == 23);
    CHECK(here.limits[1].cells.at(0).lanes.at(0).available == 0);
    CHECK(here.limits[1].cells[0].waiting == 1);
    CHECK(here.limits[1].cells[0].waiting_units == 1);
    CHECK(here.limits[1].cells[0].lanes[0].next_in_ns > 0);

    REQUIRE(s.clients.size() == 2);
    CHECK(s.clients[0].label == "md-gateway");
    CHECK(s.clients[0].pid == ::getpid());
    CHECK(s.clients[0].alive);
    CHECK(s.clients[0].granted == 3);
    CHECK(s.clients[1].refused == 1);
    CHECK(s.clients[1].reserved == 1);
    CHECK(here.clients[1].waiting == 1);
    REQUIRE(here.reservations.size() == 1);
    CHECK(here.reservations[0].label == "quoter");
    CHECK(here.reservations[0].at == reservation.at().time_since_epoch().count());
    CHECK(here.reservations[0].cost ==
          std::vector<std::pair<std::string, std::uint64_t>>{{"weight", 1}, {"orders", 1}});
}

TEST_CASE("a budget's state: attention first") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 10)});
    auto cost = must(budget.cost({{"weight", 1}}));
    const auto state = [&] { return must(budget.snapshot()).state; };
    CHECK(state() == BudgetState::idle);
    CHECK(must(budget.try_acquire(cost)));
    CHECK(state() == BudgetState::busy);
    CHECK(drain(budget, cost) == 9);
    CHECK(state() == BudgetState::empty);
    must(budget.halt(""));
    CHECK(state() == BudgetState::halted);
    must(budget.pause(PauseKind::manual, scene.now() + 1min));
    CHECK(state() == BudgetState::paused);
    must(budget.pause(PauseKind::ban, scene.now() + 1min));
    CHECK(state() == BudgetState::banned);
    must(budget.unhalt(""));
    scene.advance(1min);
    CHECK(state() == BudgetState::probing);
}
