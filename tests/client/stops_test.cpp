// SPDX-License-Identifier: Apache-2.0
#include "client/stops.hpp"

#include <fstream>
#include <random>
#include <sstream>

#include "client/scene.hpp"
#include "support/seed.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using client::Stops;

namespace {

Stops any_stops(std::mt19937_64& random) {
    Stops stops;
    stops.generation = random();
    for (auto& until : stops.until_utc)
        until = static_cast<std::int64_t>(random() >> (random() % 63));
    stops.halted = random() % 2 == 0;
    stops.probe_required = random() % 2 == 0;
    stops.strikes = static_cast<std::uint32_t>(random());
    for (auto n = random() % 4; n > 0; --n) {
        stops.keys.push_back({random(), random(), static_cast<std::int64_t>(random() >> 1)});
    }
    for (auto n = random() % 4; n > 0; --n) {
        stops.limits.push_back({"limit-" + std::to_string(n), random()});
    }
    return stops;
}

std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("T1: what was written is read back equal; anything else is refused whole") {
    const auto seed = testing::seed();
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2'000; ++i) {
        const Stops stops = any_stops(random);
        std::string text = client::to_text(stops);
        REQUIRE(client::parse_stops(text) == stops);
        const auto at = random() % text.size();
        switch (random() % 4) {
            case 0:
                text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
                break;
            case 1:
                text.resize(at);
                break;
            case 2:
                text.insert(at, 1, static_cast<char>(random()));
                break;
            default:
                text += '\n';
                break;
        }
        REQUIRE_FALSE(client::parse_stops(text).has_value());
    }
    CHECK_FALSE(client::parse_stops("").has_value());
    CHECK_FALSE(client::parse_stops(std::string(100'000, '\0')).has_value());
}

TEST_CASE("T2: of one generation the later of both counts, of two the newer whole") {
    Stops saved{.generation = 3, .until_utc = {50, 900, 0}, .halted = true, .strikes = 2};
    saved.keys = {{1, 1, 70}, {2, 2, 10}};
    Stops current{.generation = 3, .until_utc = {60, 800, 5}, .strikes = 1};
    current.keys = {{2, 2, 30}, {3, 3, 5}};
    const Stops merged = client::merge(saved, current);
    CHECK(merged.until_utc == std::array<std::int64_t, 3>{60, 900, 5});
    CHECK(merged.halted);
    CHECK(merged.strikes == 2);
    CHECK(merged.keys.size() == 3);
    CHECK(merged.keys[0].until_utc == 30);
    current.generation = 4;
    CHECK(client::merge(saved, current) == current);
    CHECK(client::merge(current, saved) == current);
}

TEST_CASE("G8: a ban and a halt outlive the segment, to the ban's true end") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    const auto end = scene.now() + 10min;
    {
        auto budget = scene.open(limits);
        must(budget.pause(PauseKind::ban, end));
        must(budget.halt("test"));
        CHECK(must(budget.snapshot()).stops_saved);
    }
    std::filesystem::remove(scene.file());
    scene.advance(1min);
    auto budget = scene.open(limits);
    auto cost = must(budget.cost({{"orders", 1}})).with(Intent::read);
    CHECK(must(budget.snapshot()).halted);
    CHECK(must(budget.try_acquire(cost)).resume_after() == end);
    scene.advance_to(end - 1ns);
    CHECK_FALSE(must(budget.try_acquire(cost)));
    scene.advance(1ns);
    const auto first = must(budget.try_acquire(cost));
    CHECK((first || first.retry_at() > end));
    CHECK(must(budget.try_acquire(cost.with(Intent::open))).refusal() == Refusal::halted);
    must(budget.unhalt("test"));
    CHECK_FALSE(must(budget.snapshot()).halted);
}

TEST_CASE("G8: stops outlive a reboot: another boot clock, the same wall clock") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100), per_account(fixed("orders", 10))};
    const auto wall = [](const ManualClock& clock) { return clock.boot() + clock.utc_offset(); };
    {
        auto budget = scene.open(limits);
        must(budget.pause(PauseKind::ban, scene.now() + 1h));
        must(budget.pause_key("account", "main", scene.now() + 2h));
    }
    const std::int64_t ban_end = wall(scene.clock) + 3'600 * core::second_ns;
    std::filesystem::remove(scene.file());
    // Five minutes later, 20 seconds after the host came up.
    scene.clock.step_utc(1'281 * core::second_ns);
    scene.clock.advance(-981 * core::second_ns);
    REQUIRE(wall(scene.clock) == ban_end - 3'300 * core::second_ns);

    auto budget = scene.open(limits);
    auto cost = must(budget.cost({{"weight", 1}}));
    const auto refused = must(budget.try_acquire(cost));
    CHECK(refused.refusal() == Refusal::paused);
    CHECK(refused.resume_after() - scene.now() == 55min);
    auto keyed = must(budget.cost({{"orders", 1, "main"}}));
    CHECK(must(budget.try_acquire(keyed)).resume_after() - scene.now() == 1h + 55min);
    scene.advance(55min);
    auto probe = must(budget.try_acquire(cost));
    REQUIRE(probe);
    CHECK(probe.permit().is_probe());
    CHECK(must(budget.snapshot()).strikes >= 1);
}

TEST_CASE(
    "a ban that ended while nobody was there still owes its probe, and once answered never again") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    {
        auto budget = scene.open(limits);
        must(budget.pause(PauseKind::ban, scene.now() + 1min));
    }
    std::filesystem::remove(scene.file());
    scene.advance(1h);
    {
        auto budget = scene.open(limits);
        auto cost = must(budget.cost({{"orders", 1}}));
        auto probe = must(budget.try_acquire(cost));
        REQUIRE(probe);
        CHECK(probe.permit().is_probe());
        const auto second = must(budget.try_acquire(cost));
        CHECK_FALSE(second);
        CHECK(second.retry_at() >= scene.now() + 10s);
        must(budget.observe(probe.permit(), Outcome::ok));
        CHECK(must(budget.try_acquire(cost)));
    }
    std::filesystem::remove(scene.file());
    auto budget = scene.open(limits);
    CHECK_FALSE(must(budget.snapshot()).probe_required);
    CHECK(must(budget.snapshot()).strikes == 0);
}

TEST_CASE("what an operator lifted does not come back with the next segment") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    const auto lift = GENERATE(0, 1, 2);
    {
        auto budget = scene.open(limits);
        must(budget.pause(lift == 2 ? PauseKind::manual : PauseKind::ban, scene.now() + 1h));
        if (lift == 0) must(budget.reset(true));
        if (lift == 1) CHECK(must(budget.resume({.ban = true})));
        if (lift == 2) CHECK(must(budget.resume({})));
        CHECK(must(budget.snapshot()).stops_saved);
    }
    std::filesystem::remove(scene.file());
    auto budget = scene.open(limits);
    CHECK(must(budget.try_acquire(must(budget.cost({{"orders", 1}})))));
}

TEST_CASE("a second file that cannot be read does not take the place of the first") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    for (const std::string damaged : {"one", "two", "three"}) {
        { scene.open(limits); }
        std::filesystem::remove(scene.file());
        std::ofstream(scene.stops_file()) << damaged;
        CHECK(must(scene.open(limits).snapshot()).halted);
        std::filesystem::remove(scene.file());
    }
    CHECK(read(scene.stops_file() + ".bad") == "one");
    CHECK(read(scene.stops_file() + ".bad-2") == "two");
    CHECK(read(scene.stops_file() + ".bad-3") == "three");
}

TEST_CASE("E26: saved stops that cannot be read count as a halt, and the file is kept aside") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    { scene.open(limits); }
    std::filesystem::remove(scene.file());
    const std::string damaged = "ratecoord-stops 1\ngeneration 1\nban 99";
    std::ofstream(scene.stops_file()) << damaged;
    {
        auto budget = scene.open(limits);
        auto cost = must(budget.cost({{"orders", 1}}));
        CHECK(must(budget.try_acquire(cost)).refusal() == Refusal::halted);
        CHECK(must(budget.try_acquire(cost.with(Intent::close))));
        CHECK(must(budget.snapshot()).halted);
    }
    CHECK(read(scene.stops_file() + ".bad") == damaged);
    CHECK(client::parse_stops(read(scene.stops_file()))->halted);
    std::filesystem::remove(scene.file());
    auto budget = scene.open(limits);
    CHECK(must(budget.snapshot()).halted);
    must(budget.unhalt("a person looked"));
    std::filesystem::remove(scene.file());
    CHECK_FALSE(must(scene.open(limits).snapshot()).halted);
}

TEST_CASE(
    "a state directory that cannot be written: the stop stands, stops_saved says what is missing") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    // A file in the directory's place: not even root can write below it.
    std::filesystem::remove_all(scene.directory.path() + "/state");
    std::ofstream(scene.directory.path() + "/state") << "in the way";
    auto cost = must(budget.cost({{"weight", 1}}));
    CHECK(must(budget.try_acquire(cost)));
    CHECK(must(budget.pause(PauseKind::ban, scene.now() + 1h)));
    CHECK_FALSE(must(budget.try_acquire(cost)));
    CHECK_FALSE(must(budget.snapshot()).stops_saved);
    CHECK(must(read_journal("budget", 1)).at(0).kind == "note");
    CHECK_FALSE(budget.sweep().has_value());
    // Whoever comes next saves it.
    std::filesystem::remove(scene.directory.path() + "/state");
    auto next = scene.open({fixed("weight", 100)});
    CHECK(must(next.snapshot()).stops_saved);
    CHECK(client::parse_stops(read(scene.stops_file()))->until_utc[1] > 0);
}

TEST_CASE("a reset that died between the file and the state: later stops are still saved") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    auto budget = scene.open(limits);
    must(budget.pause(PauseKind::cooldown, scene.now() + 1min));
    auto stops = client::parse_stops(read(scene.stops_file())).value();
    stops.generation += 1;
    stops.until_utc = {};
    std::ofstream(scene.stops_file()) << client::to_text(stops);
    const auto end = scene.now() + 1h;
    must(budget.pause(PauseKind::ban, end));
    std::filesystem::remove(scene.file());
    auto next = scene.open(limits);
    CHECK(must(next.try_acquire(must(next.cost({{"orders", 1}})))).resume_after() == end);
}

TEST_CASE("pauses of keys leave the file once they are over") {
    Scene scene;
    auto budget = scene.open({per_account(fixed("orders", 10))});
    for (int i = 0; i < 20; ++i) {
        must(budget.pause_key("account", std::to_string(i), scene.now() + 20s));
        scene.advance(2min);
    }
    CHECK(client::parse_stops(read(scene.stops_file()))->keys.size() == 1);
}
