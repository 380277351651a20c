// SPDX-License-Identifier: Apache-2.0
//
// Every bot of a host starts at once after a reboot, and the segment of the last boot is there.
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>

#include "process/crowd.hpp"
#include "support/other_boot.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("A04, G8: many start after a reboot: one replaces the segment, all are banned in it") {
    const std::vector limits = {fixed("weight", 1'000), rolling("orders", 10, 5)};
    constexpr int starters = 12;
    constexpr int rounds = 15;
    const auto end = BootClock::now() + 1h;
    for (int round = 0; round < rounds; ++round) {
        ScratchDirectory directory;
        {
            auto budget = must(Budget::open("budget", limits, {.full = true}));
            must(budget.pause(PauseKind::ban, end));
        }
        leave_to_another_boot(directory.place().path());
        Gate ready;
        Gate attached;
        std::vector<ChildProcess> children;
        for (int i = 0; i < starters; ++i) {
            children.emplace_back([&] {
                ready.arrive();
                auto budget = patiently([&] { return Budget::open("budget", limits); });
                attached.arrive();
                if (!budget) return 100 + static_cast<int>(budget.error().code);
                auto cost = must(budget->cost({{"weight", 1}}));
                const auto refused = try_patiently(*budget, cost);
                if (refused || refused.refusal() != Refusal::paused) return 1;
                const auto off = refused.resume_after() - end;
                return off < 10ms && off > -10ms ? 0 : 2;
            });
        }
        REQUIRE(ready.wait_for(starters));
        ready.open();
        REQUIRE(attached.wait_for(starters));
        const auto snapshot = must(read_snapshot("budget"));
        CHECK(snapshot.clients.size() == starters);
        CHECK(snapshot.strikes == 1);
        attached.open();
        for (auto& child : children) REQUIRE(child.wait() == 0);
        // The segment and the directory of saved stops; no half-made file.
        REQUIRE(directory.entries() == 2);
    }
}

TEST_CASE("C14: a container with a boot id of its own is refused while others are attached") {
    ScratchDirectory directory;
    const std::vector limits = {fixed("weight", 1'000)};
    auto budget = std::make_optional(must(Budget::open("budget", limits, {.full = true})));
    const std::string id = directory.path() + "/boot_id";
    std::ofstream(id) << "f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n";
    const auto in_container = [&](auto&& run) {
        return ChildProcess([&] {
                   if (::unshare(CLONE_NEWNS) != 0 ||
                       ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                       ::mount(id.c_str(), "/proc/sys/kernel/random/boot_id", nullptr, MS_BIND,
                               nullptr) != 0) {
                       return 77;
                   }
                   return run();
               })
            .wait();
    };
    const auto open = [&] {
        auto other = Budget::open("budget", limits);
        return other ? 0 : static_cast<int>(other.error().code);
    };
    const int refused = in_container(open);
    if (refused == 77) {
        WARN("not run: a mount over the boot id is not allowed here");
        return;
    }
    CHECK(refused == static_cast<int>(ErrorCode::version_mismatch));
    auto cost = must(budget->cost({{"weight", 1}}));
    CHECK(try_patiently(*budget, cost));
    // Nobody is attached any more: whoever comes next may have it, cold.
    budget.reset();
    CHECK(in_container([&] {
              auto other = must(Budget::open("budget", limits));
              return must(other.try_acquire(must(other.cost({{"weight", 1}})))) ? 1 : 0;
          }) == 0);
    CHECK(open() == 0);
}
