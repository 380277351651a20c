// SPDX-License-Identifier: Apache-2.0
//
// What the host can do to a client: no room, no rights, no descriptor.
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/limits.hpp"
#include "support/permit_log.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

namespace {

/// Runs in a child with a mount namespace of its own; 77 where that is not allowed.
template <class Run>
int with_own_mounts(Run&& run) {
    return ChildProcess([&] {
               if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
                   return 77;
               if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
               return run();
           })
        .wait();
}

int status_of(ErrorCode code) {
    return 100 + static_cast<int>(code);
}

int open_status(std::string_view name, const OpenOptions& options = {.full = true}) {
    auto budget = Budget::open(name, {once("weight", 10)}, options);
    return budget ? 0 : status_of(budget.error().code);
}

}  // namespace

TEST_CASE("G7, C15: a full tmpfs: no budget is made, nothing is left behind, and no signal comes") {
    ScratchDirectory directory;
    const int status = with_own_mounts([&] {
        if (::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=2m") != 0) return 77;
        if (open_status("small", {.clients = 4, .reservations = 16, .full = true}) != 0) return 1;
        int code = 0;
        for (int i = 0; i < 50 && code == 0; ++i) {
            code = open_status("filler-" + std::to_string(i), {.clients = 16, .full = true});
        }
        if (code != status_of(ErrorCode::out_of_space)) return 2;
        // The first one, made while there was room, works on: its pages are there.
        auto small = Budget::attach("small");
        if (!small) return 3;
        const auto cost = must(small->cost({{"weight", 1}}));
        int granted = 0;
        while (try_patiently(*small, cost)) ++granted;
        if (granted != 10) return 4;
        must(small->pause(PauseKind::ban, BootClock::now() + 1h));
        for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
            if (entry.path().filename().string().starts_with(".")) return 5;
        }
        return 0;
    });
    if (status == 77) {
        WARN("not run: mounting a tmpfs in a namespace of one's own is not allowed here");
        return;
    }
    CHECK(status == 0);
}

TEST_CASE(
    "G7, C03: a read-only directory: an error and no budget elsewhere; one that is there is not "
    "used") {
    ScratchDirectory directory;
    { must(Budget::open("there", {once("weight", 10)})); }
    const int status = with_own_mounts([&] {
        if (::mount(directory.path().c_str(), directory.path().c_str(), nullptr, MS_BIND,
                    nullptr) != 0 ||
            ::mount(nullptr, directory.path().c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY,
                    nullptr) != 0) {
            return 77;
        }
        if (open_status("absent") != status_of(ErrorCode::permission_denied)) return 1;
        if (open_status("there") != status_of(ErrorCode::permission_denied)) return 2;
        return read_snapshot("there") ? 0 : 3;  // looking needs no right to write
    });
    if (status == 77) {
        WARN("not run: a mount namespace of one's own is not allowed here");
        return;
    }
    CHECK(status == 0);
}

TEST_CASE("G7: a directory that is not there is an error, never a budget elsewhere") {
    ScratchDirectory directory;
    std::filesystem::remove_all(directory.path());
    CHECK_FALSE(Budget::open("budget", {once("weight", 10)}).has_value());
    CHECK_FALSE(std::filesystem::exists(directory.path() + "/state/budget.stops"));
}

TEST_CASE("G7: a process of another time namespace is refused, and told so") {
    ScratchDirectory directory;
    auto keeper = must(Budget::open("budget", {once("weight", 10)}, {.full = true}));
    const int status =
        ChildProcess([&] {
            // What is forked after this is in the new namespace.
            if (::unshare(CLONE_NEWTIME) != 0) return 77;
            return ChildProcess([&] {
                       const auto budget = Budget::attach("budget");
                       if (budget) return 1;
                       const auto& error = budget.error();
                       if (error.code != ErrorCode::version_mismatch) return 2;
                       return error.message.find("time namespace") == std::string::npos ? 3 : 0;
                   })
                .wait();
        }).wait();
    if (status == 77) {
        WARN("not run: a time namespace of one's own is not allowed here");
        return;
    }
    CHECK(status == 0);
    CHECK(must(keeper.try_acquire(must(keeper.cost({{"weight", 1}})))));
}

TEST_CASE(
    "C20: a client that closed all descriptors gives its slot up and comes back as a new one") {
    ScratchDirectory directory;
    auto keeper = must(Budget::open("budget", {once("weight", 10)}, {.full = true}));
    ChildProcess child([&] {
        auto budget = must(Budget::open("budget", {once("weight", 10)}));
        const auto cost = must(budget.cost({{"weight", 1}}));
        if (!try_patiently(budget, cost)) return 1;
        ::closefrom(3);
        // Something else gets the numbers now.
        for (int i = 0; i < 32; ++i) {
            if (::dup(2) < 0) return 2;
        }
        int granted = 0;
        const auto until = BootClock::now() + 1'500ms;
        while (BootClock::now() < until) {
            const auto decision = budget.try_acquire(cost);
            if (decision && *decision) ++granted;
            ::sched_yield();
        }
        return granted == 9 ? 0 : 3;
    });
    CHECK(child.wait() == 0);
    CHECK_FALSE(must(keeper.try_acquire(must(keeper.cost({{"weight", 1}})))));
    must(keeper.sweep());
    CHECK(must(keeper.snapshot()).clients.size() == 1);
}

TEST_CASE(
    "G6: a full calendar says so at once, to processes too, and empties when its owners die") {
    ScratchDirectory directory;
    const std::vector limits = {rolling("orders", 60, 1, 1min)};
    const OpenOptions options{.reservations = 16, .full = true};
    Gate full;
    std::vector<ChildProcess> children;
    for (int i = 0; i < 5; ++i) {
        children.emplace_back([&] {
            auto budget = must(Budget::open("budget", limits, options));
            const auto cost = must(budget.cost({{"orders", 1}}));
            for (;;) {
                Reservation reservation;
                const auto decision =
                    must(budget.reserve(cost, BootClock::now() + 24h, reservation));
                if (decision.refusal() == Refusal::calendar_full) break;
            }
            full.arrive();
            return 0;
        });
    }
    REQUIRE(full.wait_for(5));
    auto budget = must(Budget::open("budget", limits, options));
    const auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(must(budget.acquire(cost, 1h)).refusal() == Refusal::calendar_full);
    CHECK(must(budget.snapshot()).reservations.size() == 14);
    for (auto& child : children) child.end();
    CHECK(must(budget.sweep()) == 5);
    Reservation reservation;
    must(budget.reserve(cost, BootClock::now() + 1h, reservation));
    CHECK(reservation.id() != 0);
}
