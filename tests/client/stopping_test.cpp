// SPDX-License-Identifier: Apache-2.0
#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

struct Pair {
    explicit Pair(Scene& scene, LimitDefinition limit = fixed("weight", 100))
        : one(scene.open({limit})),
          two(scene.open({limit})),
          cost(must(one.cost({{limit.name, 1}}))) {}
    Budget one;
    Budget two;
    Cost cost;
};

}  // namespace

TEST_CASE("G2: a pause of one client stops every other, and moves what was reserved behind it") {
    Scene scene;
    Pair pair(scene, rolling("orders", 10, 1));
    CHECK(must(pair.two.try_acquire(pair.cost)));
    Reservation reservation;
    must(pair.two.reserve(pair.cost, scene.now() + 1h, reservation));
    const auto end = scene.now() + 35s;
    CHECK(must(pair.one.pause(PauseKind::cooldown, end, "429")));
    CHECK(pair.two.may_have_moved(reservation));
    const auto refused = must(pair.two.try_acquire(pair.cost));
    CHECK(refused.refusal() == Refusal::paused);
    CHECK(refused.resume_after() == end);
    CHECK(refused.retry_at() >= end);
    scene.advance_to(reservation.at());
    CHECK_FALSE(must(pair.two.confirm(reservation)));
    REQUIRE(reservation.id() != 0);
    CHECK(reservation.at() >= end);
    scene.advance_to(reservation.at());
    CHECK(must(pair.two.confirm(reservation)));
}

TEST_CASE("G3, A05: a pause only grows; shorter and older news change nothing") {
    Scene scene;
    Pair pair(scene);
    const auto end = scene.now() + 60s;
    CHECK(must(pair.one.pause(PauseKind::cooldown, end)));
    CHECK_FALSE(must(pair.two.pause(PauseKind::cooldown, end)));
    CHECK_FALSE(must(pair.two.pause(PauseKind::cooldown, end - 1s)));
    CHECK_FALSE(must(pair.two.pause(PauseKind::cooldown, scene.now() - 1s)));
    CHECK_FALSE(must(pair.two.pause(PauseKind::cooldown, BootTime{})));
    CHECK(must(pair.two.try_acquire(pair.cost)).resume_after() == end);
    CHECK(must(pair.two.pause(PauseKind::ban, end + 1h)));
    CHECK(must(pair.one.try_acquire(pair.cost)).resume_after() == end + 1h);
    // Too large saturates, never wraps.
    CHECK(must(pair.one.pause(PauseKind::manual, BootTime::max())));
    CHECK(must(pair.two.try_acquire(pair.cost)).resume_after() > end + 24h * 365);
}

TEST_CASE("A19: the pause is recorded in full, whatever the caller's own patience") {
    Scene scene;
    Pair pair(scene);
    const auto start = scene.now();
    CHECK(must(pair.one.pause(PauseKind::ban, start + 720s)));
    CHECK(must(pair.one.acquire(pair.cost, 60s)).refusal() == Refusal::paused);
    for (const auto at : {1s, 61s, 283s, 719s}) {
        scene.advance_to(start + at);
        CHECK_FALSE(must(pair.two.try_acquire(pair.cost)));
    }
    scene.advance_to(start + 721s);
    CHECK(must(pair.two.try_acquire(pair.cost)));
}

TEST_CASE("an account's pause stops that account and no other") {
    Scene scene;
    auto budget = scene.open({per_account(fixed("orders", 10)), fixed("weight", 100)});
    auto main = must(budget.cost({{"orders", 1, "main"}, {"weight", 1}}));
    auto other = must(budget.cost({{"orders", 1, "other"}, {"weight", 1}}));
    auto weight = must(budget.cost({{"weight", 1}}));
    const auto end = scene.now() + 7s;
    CHECK(must(budget.pause_key("account", "main", end)));
    CHECK_FALSE(must(budget.pause_key("account", "main", end)));
    CHECK(must(budget.try_acquire(main)).resume_after() == end);
    CHECK(must(budget.try_acquire(other)));
    CHECK(must(budget.try_acquire(weight)));
    CHECK(budget.pause_key("endpoint", "x", end).error().code == ErrorCode::unknown_name);
    CHECK(budget.pause_key("account", "", end).error().code == ErrorCode::invalid_argument);
    // A key nobody has used yet.
    CHECK(must(budget.pause_key("account", "third", end)));
    CHECK_FALSE(must(budget.try_acquire(must(budget.cost({{"orders", 1, "third"}})))));
    scene.advance_to(end);
    CHECK(must(budget.try_acquire(main)));
}

TEST_CASE("resume ends what its scope names and nothing else") {
    Scene scene;
    Pair pair(scene);
    CHECK_FALSE(must(pair.one.resume({})));
    must(pair.one.pause(PauseKind::manual, scene.now() + 1h));
    must(pair.one.pause(PauseKind::cooldown, scene.now() + 20min));
    CHECK(must(pair.two.resume({})));
    CHECK(must(pair.one.try_acquire(pair.cost)).resume_after() == scene.now() + 20min);
    CHECK_FALSE(must(pair.two.resume({.manual = true, .ban = true})));
    CHECK(must(pair.two.resume({.cooldown = true})));
    CHECK(must(pair.one.try_acquire(pair.cost)));
    scene.advance(1s);  // paced with burst 1 in this window
    must(pair.one.pause(PauseKind::ban, scene.now() + 1h));
    CHECK_FALSE(must(pair.two.resume({.manual = true, .cooldown = true})));
    CHECK(must(pair.two.resume({.ban = true})));
    const auto probe = must(pair.one.try_acquire(pair.cost));
    REQUIRE(probe);
    CHECK(probe.permit().is_probe());
}

TEST_CASE(
    "reset is refused while a ban stands, unless the ban is overruled; then one probe goes first") {
    Scene scene;
    Pair pair(scene);
    must(pair.one.pause(PauseKind::ban, scene.now() + 10min));
    const auto refused = pair.two.reset(false);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK_THAT(refused.error().message, Catch::Matchers::Contains("10m"));
    CHECK_FALSE(must(pair.one.try_acquire(pair.cost)));
    must(pair.two.reset(true));
    auto probe = must(pair.one.try_acquire(pair.cost));
    REQUIRE(probe);
    CHECK(probe.permit().is_probe());
    CHECK_FALSE(must(pair.two.try_acquire(pair.cost)));
    must(pair.one.observe(probe.permit(), Outcome::ok));
    scene.advance(1s);  // paced with burst 1 in this window
    CHECK(must(pair.two.try_acquire(pair.cost)));
    must(pair.one.pause(PauseKind::cooldown, scene.now() + 10min));
    must(pair.two.reset(false));
    scene.advance(1s);
    const auto next = must(pair.two.try_acquire(pair.cost));
    CHECK(next);
    CHECK_FALSE(next.permit().is_probe());
}

TEST_CASE("halt: nothing opens, reads and closes pass, confirms are checked again, unhalt frees") {
    Scene scene;
    Pair pair(scene, rolling("orders", 10, 3));
    CHECK(drain(pair.one, pair.cost) == 3);
    Reservation opens;
    Reservation closes;
    must(pair.two.reserve(pair.cost, scene.now() + 1h, opens));
    must(pair.two.reserve(pair.cost.with(Intent::close), scene.now() + 1h, closes));
    must(pair.one.halt("reconciling"));
    must(pair.one.halt("again"));
    CHECK(must(pair.two.try_acquire(pair.cost)).refusal() == Refusal::halted);
    CHECK(must(pair.two.acquire(pair.cost, 1h)).refusal() == Refusal::halted);
    CHECK_FALSE(must(pair.two.confirm(opens)));
    CHECK(opens.id() == 0);
    // Its place came free.
    const auto before = closes.at();
    CHECK_FALSE(must(pair.two.confirm(closes)));
    CHECK(closes.at() < before);
    scene.advance_to(closes.at());
    CHECK(must(pair.two.confirm(closes)));
    scene.advance(10s);
    CHECK(must(pair.two.try_acquire(pair.cost.with(Intent::read))));
    CHECK(must(pair.two.snapshot()).halted);
    must(pair.two.unhalt("reconciled"));
    scene.advance(10s);
    CHECK(must(pair.one.try_acquire(pair.cost)));
}

TEST_CASE("after a ban one request goes alone; its own success opens, its failure does not") {
    Scene scene;
    Pair pair(scene);
    auto before = must(pair.two.try_acquire(pair.cost));
    must(pair.one.pause(PauseKind::ban, scene.now() + 2min));
    scene.advance(2min);
    for (const Outcome opens : {Outcome::ok, Outcome::rejected, Outcome::auth}) {
        auto probe = must(pair.one.try_acquire(pair.cost));
        REQUIRE(probe);
        CHECK(probe.permit().is_probe());
        CHECK_FALSE(must(pair.two.try_acquire(pair.cost)));
        must(pair.two.observe(before.permit(), Outcome::ok));
        CHECK_FALSE(must(pair.two.try_acquire(pair.cost)));
        must(pair.one.observe(probe.permit(), opens));
        scene.advance(1s);  // paced with burst 1 in this window
        auto next = must(pair.two.try_acquire(pair.cost));
        REQUIRE(next);
        CHECK_FALSE(next.permit().is_probe());
        must(pair.two.pause(PauseKind::ban, scene.now() + 2min));
        scene.advance(2min + 1s);
    }
    auto failed = must(pair.one.try_acquire(pair.cost));
    REQUIRE(failed);
    must(pair.one.observe(failed.permit(), Outcome::failed));
    const auto refused = must(pair.two.try_acquire(pair.cost));
    CHECK_FALSE(refused);
    CHECK(refused.retry_at() >= scene.now() + 10s);
    scene.advance_to(refused.retry_at());
    auto second = must(pair.two.try_acquire(pair.cost));
    REQUIRE(second);
    CHECK(second.permit().is_probe());
    // Its holder says nothing: another takes its place, not earlier than its time is up.
    const auto third = must(pair.one.try_acquire(pair.cost));
    CHECK_FALSE(third);
    CHECK(third.retry_at() >= scene.now() + 20s);
    scene.advance_to(third.retry_at());
    CHECK(must(pair.one.try_acquire(pair.cost)));
}

TEST_CASE("a ban that came while the probe was out is not opened by the probe's success") {
    Scene scene;
    Pair pair(scene);
    must(pair.one.pause(PauseKind::ban, scene.now() + 2min));
    scene.advance(2min);
    auto probe = must(pair.one.try_acquire(pair.cost));
    REQUIRE(probe);
    must(pair.two.pause(PauseKind::ban, scene.now() + 10min));
    must(pair.one.observe(probe.permit(), Outcome::ok));
    CHECK(must(pair.one.try_acquire(pair.cost)).refusal() == Refusal::paused);
    CHECK(must(pair.one.snapshot()).probe_required);
}

TEST_CASE("the venue's counts take units away and never give any") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100), rolling("orders", 10, 5)});
    auto cost = must(budget.cost({{"weight", 1}}));
    must(budget.observe_used({"weight"}, 90, scene.now()));
    CHECK(drain(budget, cost, 7) == 7);
    must(budget.observe_used({"weight"}, 2, scene.now()));
    CHECK(drain(budget, cost) == 3);
    const auto seen = must(budget.snapshot());
    const auto& cell = seen.limits[0].cells[0];
    CHECK(cell.outside == 90);
    CHECK(cell.outside_from <= seen.now);
    CHECK(cell.outside_from > seen.now - seen.limits[0].definition.window.count());
    auto orders = must(budget.cost({{"orders", 1}}));
    must(budget.observe_remaining({"orders"}, 0));
    CHECK_FALSE(must(budget.try_acquire(orders)));
    CHECK(budget.observe_used({"nothing"}, 1, scene.now()).error().code == ErrorCode::unknown_name);
}

TEST_CASE("the journal tells what was done, by whom, and last things last") {
    Scene scene;
    Pair pair(scene);
    must(pair.one.pause(PauseKind::cooldown, scene.now() + 35s, "429 of /depth"));
    must(pair.one.halt("lost an order"));
    must(pair.one.unhalt("found it"));
    const auto journal = must(read_journal("budget", 10));
    std::vector<std::string> kinds;
    for (const auto& entry : journal) {
        kinds.push_back(entry.kind);
        CHECK(entry.label == "test");
    }
    CHECK(kinds == std::vector<std::string>{"created", "pause", "halted", "unhalted"});
    CHECK(journal[1].text == "cooldown of 35s: 429 of /depth");
    CHECK(must(read_journal("budget", 2)).size() == 2);
}
