// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "process/crowd.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr uid_t stranger = 65'534;

/// In a child of its own: what `run` answers as another user.
template <class Run>
int as_stranger(gid_t group, Run&& run) {
    return ChildProcess([&] {
               if (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 ||
                   ::setuid(stranger) != 0) {
                   return 96;
               }
               return run();
           })
        .wait();
}

int code_of(const Result<Budget>& result) {
    return result ? 0 : static_cast<int>(result.error().code);
}

std::size_t alive(const Snapshot& snapshot) {
    return static_cast<std::size_t>(std::count_if(snapshot.clients.begin(), snapshot.clients.end(),
                                                  [](const auto& client) { return client.alive; }));
}

}  // namespace

TEST_CASE(
    "C11, C13: another user is refused, a member of the group is not, and nothing is opened to "
    "others") {
    if (::geteuid() != 0) {
        WARN("not run: only root can act as another user");
        return;
    }
    ScratchDirectory directory;
    ::chmod(directory.path().c_str(), 0755);
    auto own = must(Budget::open("own", {fixed("weight", 10)}));
    const auto denied = static_cast<int>(ErrorCode::permission_denied);
    CHECK(as_stranger(stranger, [] { return code_of(Budget::attach("own")); }) == denied);
    CHECK(as_stranger(stranger, [] {
              return code_of(Budget::open("own", {fixed("weight", 10)}));
          }) == denied);
    CHECK(as_stranger(stranger, [] { return destroy("own") ? 0 : 1; }) == 1);
    struct stat status {};
    REQUIRE(::stat((directory.path() + "/" + directory.place("own").file).c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);

    const struct group* group = ::getgrgid(stranger);
    if (group == nullptr) {
        WARN("group part not run: no group has id " << stranger);
        return;
    }
    const std::string name = group->gr_name;
    auto shared = must(Budget::open("shared", {once("weight", 10)}, {.full = true, .group = name}));
    REQUIRE(::stat((directory.path() + "/" + directory.place("shared").file).c_str(), &status) ==
            0);
    CHECK((status.st_mode & 07777) == 0660);
    CHECK(as_stranger(stranger, [] {
              auto budget = Budget::attach("shared");
              if (!budget) return code_of(budget);
              const auto cost = must(budget->cost({{"weight", 4}}));
              if (!try_patiently(*budget, cost)) return 95;
              return must(budget->pause(PauseKind::ban, BootClock::now() + 1h)) ? 0 : 94;
          }) == 0);
    CHECK(as_stranger(12'345, [] { return code_of(Budget::attach("shared")); }) == denied);
    CHECK(must(shared.snapshot()).limits[0].granted_units == 4);
    // What a member of the group cannot write, the owner does.
    must(shared.sweep());
    CHECK(must(shared.snapshot()).stops_saved);
}

TEST_CASE("C21: a forked child is a client of its own, and its end does not disturb the parent") {
    ScratchDirectory directory;
    auto budget = must(Budget::open("budget", {rolling("orders", 20, 2, 1s)}, {.full = true}));
    auto cost = must(budget.cost({{"orders", 1}}));
    CHECK(try_patiently(budget, cost));
    Result<Decision> answer;
    CHECK(try_patiently(budget, cost));
    std::atomic<bool> answered = false;
    std::thread waiter([&] {
        answer = budget.acquire(cost, 1min);
        answered = true;
    });
    // Only a process whose threads are past their start may fork: a sanitizer's allocator, unlike
    // glibc's, leaves its locks to the child as they are.
    while (!answered && must(budget.snapshot()).reservations.empty()) std::this_thread::yield();
    SECTION("it draws from the same budget") {
        ChildProcess child([&] {
            if (!must(budget.acquire(cost, 1min))) return 1;
            return alive(must(budget.snapshot())) == 2 ? 0 : 2;
        });
        CHECK(child.wait() == 0);
    }
    SECTION("it never touches it and leaves by exit, destructors and all") {
        const pid_t child = ::fork();
        if (child == 0) {
            Budget moved = std::move(budget);
            { const Budget gone = std::move(moved); }
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    SECTION("it is killed while it waits") {
        Gate gate;
        ChildProcess child([&] {
            must(budget.cost({{"orders", 1}}));
            gate.arrive();
            return 0;
        });
        REQUIRE(gate.wait_for(1));
        child.end();
    }
    waiter.join();
    CHECK(must(std::move(answer)));
    CHECK(must(budget.acquire(cost, 1min)));
    must(budget.sweep());
    const auto snapshot = must(budget.snapshot());
    CHECK(alive(snapshot) == 1);
    CHECK(snapshot.clients.at(0).pid == ::getpid());
}

// The other half of the next test, in a program started by it.
TEST_CASE("attaches and draws one", "[.role]") {
    auto budget = must(Budget::attach("budget"));
    CHECK(try_patiently(budget, must(budget.cost({{"weight", 1}}))));
    CHECK(alive(must(budget.snapshot())) == 2);
}

TEST_CASE("C21: a program started by a client inherits nothing of it") {
    ScratchDirectory directory;
    auto budget = must(Budget::open("budget", {once("weight", 10)}, {.full = true}));
    auto cost = must(budget.cost({{"weight", 1}}));
    CHECK(try_patiently(budget, cost));
    std::string self = "/proc/self/exe";
    std::string role = "attaches and draws one";
    char* arguments[] = {self.data(), role.data(), nullptr};
    pid_t child = 0;
    REQUIRE(::posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ) == 0);
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(must(budget.snapshot()).limits[0].granted_units == 2);
    CHECK(try_patiently(budget, cost));
}

TEST_CASE("D11: waiters that were killed or gave up leave no ghosts: their units come back") {
    ScratchDirectory directory;
    const std::vector limits = {rolling("orders", 60, 1, 1min)};
    Gate waiting;
    Crowd crowd(5, limits, {.full = true}, [&](Budget& budget, int) {
        auto cost = must(budget.cost({{"orders", 1}}));
        std::vector<Reservation> line(4);
        for (auto& reservation : line)
            reserve_patiently(budget, cost, BootClock::now() + 1h, reservation);
        waiting.arrive();
        return 0;
    });
    crowd.open();
    REQUIRE(waiting.wait_for(5));
    auto budget = must(Budget::open("budget", limits));
    auto cost = must(budget.cost({{"orders", 1}}));
    Reservation mine;
    reserve_patiently(budget, cost, BootClock::now() + 1h, mine);
    REQUIRE(mine.id() != 0);
    const auto behind = mine.at();
    CHECK(must(budget.snapshot()).reservations.size() >= 20);
    for (std::size_t i = 0; i < crowd.size(); ++i) crowd[i].end();
    CHECK(must(budget.sweep()) == 5);
    CHECK_FALSE(confirm_patiently(budget, mine));
    CHECK(mine.at() < behind - 15s);
    CHECK(must(budget.snapshot()).reservations.size() == 1);
    CHECK(must(budget.cancel(mine)));
    // Exactly what was free before anyone waited is free again.
    const auto next = try_patiently(budget, cost);
    CHECK((next || next.retry_at() < behind - 15s));
    CHECK(alive(must(budget.snapshot())) == 1);
}

TEST_CASE("D11: a waiter behind killed ones sweeps them itself and moves up") {
    ScratchDirectory directory;
    const std::vector limits = {rolling("orders", 60, 1, 1min)};
    Gate waiting;
    Crowd crowd(5, limits, {.full = true}, [&](Budget& budget, int) {
        auto cost = must(budget.cost({{"orders", 1}}));
        std::vector<Reservation> line(4);
        for (auto& reservation : line)
            reserve_patiently(budget, cost, BootClock::now() + 1h, reservation);
        waiting.arrive();
        return 0;
    });
    crowd.open();
    REQUIRE(waiting.wait_for(5));
    for (std::size_t i = 0; i < crowd.size(); ++i) crowd[i].end();
    auto budget = must(Budget::open("budget", limits));
    auto cost = must(budget.cost({{"orders", 1}}));
    const auto last = must(budget.snapshot()).reservations.back().at;
    const auto decision = must(budget.acquire(cost, 1h));
    REQUIRE(decision);
    CHECK(PermitLog::count(decision.permit().at()) < last - 10'000'000'000);
}
