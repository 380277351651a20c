// SPDX-License-Identifier: Apache-2.0
//
// A reboot with the segments in a directory that outlives it (decision 0021).
#include <filesystem>
#include <fstream>
#include <sstream>

#include "client/scene.hpp"
#include "client/stops.hpp"
#include "support/other_boot.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// The host goes down now and is up again `away` later, 20 seconds after its boot clock began.
void reboot(Scene& scene, std::chrono::nanoseconds away) {
    leave_to_another_boot(scene.file());
    const std::int64_t back = 20 * core::second_ns - scene.clock.boot();
    scene.clock.advance(back);
    scene.clock.step_utc(away.count() - back);
}

/// A file in the state directory's place: not even root can write below it.
void block_state(const Scene& scene) {
    const std::string state = scene.directory.path() + "/state";
    std::filesystem::rename(state, state + ".away");
    std::ofstream(state) << "in the way";
}

void free_state(const Scene& scene) {
    const std::string state = scene.directory.path() + "/state";
    std::filesystem::remove(state);
    std::filesystem::rename(state + ".away", state);
}

}  // namespace

TEST_CASE("G8: after a reboot the segment is replaced, and its stops stand to their true end") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100), per_account(fixed("orders", 10))};
    {
        auto budget = scene.open(limits);
        must(budget.pause(PauseKind::ban, scene.now() + 1h));
        must(budget.pause_key("account", "main", scene.now() + 2h));
        must(budget.halt("test"));
    }
    const std::string before = must(read_snapshot("budget")).segment_id;
    reboot(scene, 5min);
    CHECK(Budget::attach("budget").error().code == ErrorCode::version_mismatch);
    CHECK_FALSE(read_snapshot("budget").has_value());

    auto budget = scene.open(limits);
    const auto snapshot = must(budget.snapshot());
    CHECK(snapshot.segment_id != before);
    CHECK(snapshot.halted);
    CHECK(snapshot.stops_saved);
    auto cost = must(budget.cost({{"weight", 1}})).with(Intent::read);
    CHECK(must(budget.try_acquire(cost)).resume_after() == scene.now() + 55min);
    auto keyed = must(budget.cost({{"orders", 1, "main"}})).with(Intent::read);
    CHECK(must(budget.try_acquire(keyed)).resume_after() == scene.now() + 1h + 55min);
    scene.advance(55min - 1ns);
    CHECK_FALSE(must(budget.try_acquire(cost)));
    scene.advance(1ns);
    auto probe = must(budget.try_acquire(cost));
    REQUIRE(probe);
    CHECK(probe.permit().is_probe());
}

TEST_CASE(
    "G1, A04: what takes a relic's place is cold, also for a program that asks for a full one") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100), rolling("orders", 10, 5)};
    {
        auto budget = scene.open(limits, {.full = true});
        CHECK(drain(budget, must(budget.cost({{"weight", 1}}))) == 100);
        CHECK(drain(budget, must(budget.cost({{"orders", 1}}))) >= 4);
    }
    reboot(scene, 1s);  // the shortest that can be imagined
    auto budget = scene.open(limits, {.full = true});
    CHECK_FALSE(must(budget.snapshot()).full_start);
    const auto weight = must(budget.try_acquire(must(budget.cost({{"weight", 1}}))));
    REQUIRE_FALSE(weight);
    CHECK(weight.retry_at() == scene.now() + 58s + 250ms);  // the next minute of UTC
    const auto orders = must(budget.try_acquire(must(budget.cost({{"orders", 1}}))));
    REQUIRE_FALSE(orders);
    CHECK(orders.retry_at() > scene.now() + 2s);
}

TEST_CASE("G8: a stop that never reached the disk is read from the relic itself") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    {
        auto budget = scene.open(limits);
        block_state(scene);
        must(budget.pause(PauseKind::ban, scene.now() + 1h));
        CHECK_FALSE(must(budget.snapshot()).stops_saved);
    }
    reboot(scene, 1min);
    const std::string relic = read(scene.file());
    SECTION("and while it cannot be saved, the relic stays and nobody gets a permit") {
        CHECK_FALSE(scene.try_open(limits).has_value());
        CHECK(read(scene.file()) == relic);
    }
    free_state(scene);
    auto budget = scene.open(limits);
    const auto refused = must(budget.try_acquire(must(budget.cost({{"orders", 1}}))));
    CHECK(refused.resume_after() == scene.now() + 59min);
    CHECK(client::parse_stops(read(scene.stops_file()))->until_utc[1] > 0);
}

TEST_CASE("a stop that was lifted before the reboot does not come back with the relic") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    {
        auto budget = scene.open(limits);
        must(budget.pause(PauseKind::ban, scene.now() + 1h));
        must(budget.halt("test"));
        must(budget.reset(true));
        must(budget.unhalt("looked"));
    }
    reboot(scene, 5min);
    auto budget = scene.open(limits);
    const auto snapshot = must(budget.snapshot());
    CHECK_FALSE(snapshot.halted);
    CHECK(snapshot.pause_until[1] <= snapshot.now);
}

TEST_CASE("a relic whose state was torn by a power cut: the saved stops are all there is") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    {
        auto budget = scene.open(limits);
        must(budget.pause(PauseKind::ban, scene.now() + 1h));
    }
    reboot(scene, 1min);
    {
        std::fstream file(scene.file(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(sizeof(segment::Header));
        const auto rest = std::filesystem::file_size(scene.file()) - sizeof(segment::Header);
        file << std::string(rest, '\x5a');
    }
    auto budget = scene.open(limits);
    const auto refused = must(budget.try_acquire(must(budget.cost({{"orders", 1}}))));
    CHECK(refused.resume_after() == scene.now() + 59min);
}

TEST_CASE("E26: saved stops that cannot be read beside a relic count as a halt") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    {
        auto budget = scene.open(limits);
        must(budget.pause(PauseKind::ban, scene.now() + 1h));
    }
    reboot(scene, 1min);
    std::ofstream(scene.stops_file()) << "damaged";
    auto budget = scene.open(limits);
    CHECK(must(budget.snapshot()).halted);
    CHECK(must(budget.snapshot()).pause_until[1] ==
          (scene.now() + 59min).time_since_epoch().count());
    CHECK(read(scene.stops_file() + ".bad") == "damaged");
}

TEST_CASE("what somebody is attached to is no relic, whatever its boot id says") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100)};
    auto alive = std::make_optional(scene.open(limits));
    auto cost = must(alive->cost({{"weight", 1}}));
    leave_to_another_boot(scene.file());
    const auto refused = scene.try_open(limits);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::version_mismatch);
    CHECK_THAT(refused.error().message, Catch::Matchers::Contains("a client is attached"));
    scene.advance(2s);
    CHECK(must(alive->try_acquire(cost)));
    alive.reset();
    CHECK(must(scene.open(limits).snapshot()).clients.size() == 1);
}

TEST_CASE("only another boot makes a relic: nothing else is ever replaced") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100)};
    { scene.open(limits); }
    const auto change = GENERATE(0, 1, 2);
    change_header(scene.file(), [&](segment::Header& header) {
        if (change == 0) header.time_namespace ^= 1;
        if (change == 1) header.format_version ^= 1;
        if (change == 2) {
            header.boot_id[0] ^= 1;
            header.format_version ^= 1;
        }
    });
    const std::string there = read(scene.file());
    CHECK(scene.try_open(limits).error().code == ErrorCode::version_mismatch);
    CHECK(read(scene.file()) == there);
}

TEST_CASE("an operator's create takes a relic's place, and its --full is his word") {
    ScratchDirectory directory;
    const std::vector limits = {fixed("weight", 100)};
    { must(Budget::create("budget", limits)); }
    CHECK(Budget::create("budget", limits).error().code == ErrorCode::already_exists);
    leave_to_another_boot(directory.place().path());
    auto budget = must(Budget::create("budget", limits, {.full = true}));
    CHECK(must(budget.snapshot()).full_start);
    CHECK(Budget::create("budget", limits).error().code == ErrorCode::already_exists);
}

TEST_CASE("a relic that was put in the place of a living budget: its clients replace it together") {
    Scene scene;
    const std::vector limits = {rolling("orders", 10, 5)};
    auto one = scene.open(limits);
    auto two = scene.open(limits);
    auto cost = must(one.cost({{"orders", 1}}));
    must(one.halt("test"));
    const std::string copy = scene.directory.path() + "/copy";
    std::filesystem::copy_file(scene.file(), copy);
    std::filesystem::permissions(copy, std::filesystem::perms(0600));
    leave_to_another_boot(copy);
    std::filesystem::rename(copy, scene.file());
    scene.advance(2s);
    CHECK(must(one.try_acquire(cost)).refusal() == Refusal::halted);
    CHECK(must(two.try_acquire(cost)).refusal() == Refusal::halted);
    CHECK(must(one.snapshot()).segment_id == must(two.snapshot()).segment_id);
}
