// SPDX-License-Identifier: Apache-2.0
#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

LimitChange set_one(Budget& budget, const LimitDefinition& definition, bool dry_run = false) {
    return must(budget.set({&definition, 1}, dry_run)).at(0);
}

}  // namespace

TEST_CASE("set says what it does to each limit, with both values, and does it for every client") {
    Scene scene;
    auto one = scene.open({fixed("weight", 100)});
    auto two = scene.open({fixed("weight", 100)});
    auto cost = must(two.cost({{"weight", 1}}));
    CHECK(drain(two, cost, 30) == 30);

    CHECK(set_one(one, fixed("weight", 100)).kind == LimitChange::Kind::same);
    const auto stricter = set_one(one, fixed("weight", 40));
    CHECK(stricter.kind == LimitChange::Kind::stricter);
    CHECK_THAT(stricter.before, Catch::Matchers::StartsWith("100 per 1m"));
    CHECK_THAT(stricter.after, Catch::Matchers::StartsWith("40 per 1m"));
    CHECK(drain(two, cost) == 10);

    CHECK(set_one(one, rolling("orders", 10, 2)).kind == LimitChange::Kind::added);
    CHECK(two.cost({{"orders", 1}}).has_value());
    CHECK(must(two.snapshot()).limits.size() == 2);
}

TEST_CASE("G1: a looser limit starts beside its predecessor, and a second loosening is told when") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    auto cost = must(budget.cost({{"weight", 1}}));
    CHECK(drain(budget, cost) == 100);
    const auto looser = set_one(budget, fixed("weight", 200));
    CHECK(looser.kind == LimitChange::Kind::beside);
    CHECK(looser.settled_at == scene.now() + 1min + 250ms);
    CHECK(drain(budget, cost) == 0);
    const auto again = fixed("weight", 300);
    const auto refused = budget.set({&again, 1});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK_THAT(refused.error().message, Catch::Matchers::Contains("loosened a moment ago"));
    CHECK(must(budget.snapshot()).limits[0].cells[0].has_predecessor);
    scene.advance_to(looser.settled_at);
    scene.advance(1min);
    CHECK(drain(budget, cost) == 200);
    CHECK(set_one(budget, again).kind == LimitChange::Kind::beside);
}

TEST_CASE("a dry run tells the same and changes nothing") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    CHECK(set_one(budget, fixed("weight", 200), true).kind == LimitChange::Kind::beside);
    CHECK(set_one(budget, fixed("raw", 10), true).kind == LimitChange::Kind::added);
    const auto snapshot = must(budget.snapshot());
    CHECK(snapshot.limits.size() == 1);
    CHECK(snapshot.limits[0].definition.quota == 100);
}

TEST_CASE("set refuses what cannot be, whole") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)}, {.limits = 2, .full = true});
    const std::vector bad = {fixed("weight", 40), fixed("raw", 0)};
    CHECK(budget.set(bad).error().code == ErrorCode::invalid_argument);
    const auto keyed = per_account(fixed("weight", 40));
    CHECK(budget.set({&keyed, 1}).error().code == ErrorCode::invalid_argument);
    const std::vector many = {fixed("a", 1), fixed("b", 1)};
    CHECK(budget.set(many).error().code == ErrorCode::invalid_argument);
    CHECK(must(budget.snapshot()).limits.at(0).definition.quota == 100);
}

TEST_CASE("requests that wait are planned anew under the limit that replaces theirs") {
    Scene scene;
    auto budget = scene.open({rolling("orders", 10, 1)});
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    Reservation reservation;
    must(budget.reserve(cost, scene.now() + 1h, reservation));
    const auto before = reservation.at();
    set_one(budget, rolling("orders", 2, 1));
    CHECK(budget.may_have_moved(reservation));
    CHECK_FALSE(must(budget.confirm(reservation)));
    CHECK(reservation.at() > before + 3s);
    scene.advance_to(reservation.at());
    CHECK(must(budget.confirm(reservation)));
}
