// SPDX-License-Identifier: Apache-2.0
//
// Somebody takes the pages of a budget away from under its clients: cut short, punched, or punched
// where the file system has no room to fill the hole. Touching such a page is a SIGBUS.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr int units = 10;
const OpenOptions small_and_full{.clients = 16, .reservations = 16, .full = true};

/// In a child, whose signals are its own affair: its exit status, or 128 + the signal. Nothing here
/// opens a budget in the parent: a child would inherit its handler.
template <class Run>
int in_child(Run&& run) {
    return ChildProcess(std::forward<Run>(run)).wait();
}

Budget open_budget() {
    return must(Budget::open("budget", {once("weight", units)}, small_and_full));
}

void cut(const std::string& path, std::uint64_t bytes) {
    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(bytes)) == 0);
}

void punch(const std::string& path, std::uint64_t from, std::uint64_t bytes) {
    const int fd = ::open(path.c_str(), O_RDWR);
    REQUIRE(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                        static_cast<off_t>(bytes)) == 0);
    ::close(fd);
}

/// Draws until an error comes, at most for the few seconds in which one must; how many permits came.
int draw_until_error(Budget& budget, const Cost& cost, Error& error) {
    int granted = 0;
    const auto until = BootClock::now() + 20s;
    while (BootClock::now() < until) {
        const auto decision = budget.try_acquire(cost);
        if (decision && *decision) ++granted;
        if (!decision && decision.error().code != ErrorCode::deadline_exceeded) {
            error = decision.error();
            return granted;
        }
    }
    error = {};
    return granted;
}

/// Whether every call of a budget that lost its memory says so.
bool all_fail(Budget& budget, const Cost& cost) {
    Reservation reservation;
    return !budget.try_acquire(cost) && !budget.acquire(cost, 1h) &&
           !budget.reserve(cost, BootClock::now() + 1h, reservation) && !budget.snapshot() &&
           !budget.pause(PauseKind::manual, BootClock::now() + 1s) && !budget.halt("x") &&
           !budget.observe_remaining({"weight"}, 1) && !budget.reset(false) &&
           !budget.set(std::vector{once("weight", units)}) && !read_snapshot("budget");
}

volatile sig_atomic_t heard = 0;
void hear(int) {
    heard = heard + 1;
}
void hear_and_leave(int) {
    ::_exit(42);
}

/// A page that raises SIGBUS and is none of ours.
volatile char* bad_page(const ScratchDirectory& directory) {
    const int fd = ::open((directory.path() + "/other").c_str(), O_CREAT | O_RDWR, 0600);
    void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    return static_cast<volatile char*>(page);
}

}  // namespace

TEST_CASE("G7, C25: a file cut short under its client: every call fails, the program lives") {
    const auto keep = GENERATE(0, 1, 2, 3, 4);
    ScratchDirectory directory;
    const auto path = directory.place().path();
    const int status = in_child([&] {
        auto budget = open_budget();
        const auto cost = must(budget.cost({{"weight", 1}}));
        if (!try_patiently(budget, cost)) return 1;
        const auto bytes = std::filesystem::file_size(path);
        cut(path, keep == 4 ? bytes - 1 : bytes / 4 * static_cast<unsigned>(keep) / 4096 * 4096);
        Error error;
        // While nothing that is used was cut off, permits are still good ones.
        if (draw_until_error(budget, cost, error) > units - 1) return 2;
        if (error.code != ErrorCode::segment_corrupt) return 3;
        // By the signal, or by the look at the file's size that comes once a second.
        if (error.message.find("cut short") == std::string::npos &&
            error.message.find("bytes long") == std::string::npos) {
            return 4;
        }
        return all_fail(budget, cost) ? 0 : 5;
    });
    CHECK(status == 0);
}

TEST_CASE("G7: a file that was cut short and made as long again is damaged, not new") {
    ScratchDirectory directory;
    const auto path = directory.place().path();
    const int status = in_child([&] {
        auto budget = open_budget();
        const auto cost = must(budget.cost({{"weight", units}}));
        if (!try_patiently(budget, cost)) return 1;
        const auto bytes = std::filesystem::file_size(path);
        cut(path, 0);
        cut(path, bytes);
        Error error;
        if (draw_until_error(budget, cost, error) != 0) return 2;
        return error.code == ErrorCode::segment_corrupt && all_fail(budget, cost) ? 0 : 3;
    });
    CHECK(status == 0);
}

TEST_CASE("G1, G7: a hole in the control page gives no client its own copy of the units") {
    ScratchDirectory directory;
    const auto place = directory.place();
    Shared<std::atomic<int>> granted;
    const int status = in_child([&] {
        auto keeper = open_budget();
        const auto control = must(segment::map_file(place, segment::Access::read_only));
        Gate gate;
        std::vector<ChildProcess> children;
        for (int i = 0; i < 2; ++i) {
            children.emplace_back([&] {
                auto budget = open_budget();
                const auto one = must(budget.cost({{"weight", 1}}));
                if (try_patiently(budget, one)) ++*granted;
                // A refusal leaves a working copy that nothing stands behind.
                const auto many = must(budget.cost({{"weight", units}}));
                if (try_patiently(budget, many)) *granted += units;
                gate.arrive();
                for (int tries = 0; tries < 3 * units; ++tries) {
                    const auto decision = budget.try_acquire(one);
                    if (decision && *decision) ++*granted;
                }
                return 0;
            });
        }
        if (!gate.wait_for(2)) return 1;
        punch(place.path(), control.geometry.control / 4096 * 4096, 4096);
        gate.open();
        return children[0].wait() + children[1].wait();
    });
    CHECK(status == 0);
    CHECK(*granted == 2);
}

TEST_CASE("G7, C15: a hole in a file system that has no room to fill it: the program lives") {
    ScratchDirectory directory;
    const int status = in_child([&] {
        if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
        if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
        if (::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=6m") != 0) return 77;
        auto budget = open_budget();
        const auto cost = must(budget.cost({{"weight", 1}}));
        if (!try_patiently(budget, cost)) return 1;
        const auto path = directory.place().path();
        punch(path, 0, std::filesystem::file_size(path));
        std::ofstream filler(directory.path() + "/filler", std::ios::binary);
        const std::string block(4096, 'x');
        while (filler.write(block.data(), 4096).flush()) {
        }
        Error error;
        if (draw_until_error(budget, cost, error) != 0) return 2;
        return error.code == ErrorCode::segment_corrupt && all_fail(budget, cost) ? 0 : 3;
    });
    if (status == 77) {
        WARN("not run: mounting a tmpfs in a namespace of one's own is not allowed here");
        return;
    }
    CHECK(status == 0);
}

TEST_CASE("G6, G7: threads that draw, and one that sleeps, are answered when the file is cut") {
    ScratchDirectory directory;
    const auto path = directory.place().path();
    const int status = in_child([&] {
        auto budget = open_budget();
        const auto cost = must(budget.cost({{"weight", 1}}));
        auto asleep = must(Budget::open("slow", {rolling("orders", 1, 1, 1h)}, small_and_full));
        const auto order = must(asleep.cost({{"orders", 1}}));
        if (!try_patiently(asleep, order)) return 1;
        std::atomic<int> failed{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&] {
                Error error;
                draw_until_error(budget, cost, error);
                failed += error.code == ErrorCode::segment_corrupt;
            });
        }
        threads.emplace_back([&] { failed += !asleep.acquire(order, 2h); });
        const auto until = BootClock::now() + 10s;
        while (must(asleep.snapshot()).reservations.empty() && BootClock::now() < until) {
            ::sched_yield();
        }
        cut(directory.place("slow").path(), 0);
        cut(path, 0);
        for (auto& thread : threads) thread.join();
        return failed == 4 ? 0 : 2;
    });
    CHECK(status == 0);
}

TEST_CASE("G7: parent and forked child both outlive the loss, and both say so") {
    ScratchDirectory directory;
    const auto path = directory.place().path();
    const int status = in_child([&] {
        auto budget = open_budget();
        const auto cost = must(budget.cost({{"weight", 1}}));
        Gate gate;
        const auto draw = [&] {
            Error error;
            return draw_until_error(budget, cost, error) == 0 && !budget.try_acquire(cost) ? 0 : 1;
        };
        ChildProcess child([&] {
            gate.arrive();
            return draw();
        });
        if (!gate.wait_for(1)) return 2;
        cut(path, 0);
        gate.open();
        return draw() + child.wait();
    });
    CHECK(status == 0);
}

TEST_CASE(
    "G7, C26: a sound budget in the lost one's place is joined; none is made by who lost it") {
    ScratchDirectory directory;
    const auto path = directory.place().path();
    const bool by_signal = GENERATE(true, false);
    const int status = in_child([&] {
        auto budget = open_budget();
        const auto cost = must(budget.cost({{"weight", 1}}));
        must(budget.pause(PauseKind::ban, BootClock::now() + 1h));
        if (try_patiently(budget, cost)) return 1;
        cut(path, 0);
        // Without the signal: zeros, as long as before.
        if (!by_signal) cut(path, segment::segment_bytes({16, 16, 32, 64}));
        Error error;
        draw_until_error(budget, cost, error);
        if (error.code != ErrorCode::segment_corrupt) return 2;
        std::filesystem::remove(path);
        draw_until_error(budget, cost, error);
        const auto until = BootClock::now() + 20s;
        while (error.code != ErrorCode::no_such_budget && BootClock::now() < until) {
            draw_until_error(budget, cost, error);
        }
        if (error.code != ErrorCode::no_such_budget) return 3;
        if (std::filesystem::exists(path)) return 4;
        auto fresh = open_budget();
        // The ban was on disk: it stands for both, and neither gets a permit.
        const auto decision = budget.try_acquire(cost);
        if (!decision || *decision || decision->refusal() != Refusal::paused) return 5;
        must(fresh.reset(true));
        return must(budget.snapshot()).clients.size() == 2 ? 0 : 6;
    });
    CHECK(status == 0);
}

TEST_CASE("an observer of a file that is cut short gets an error") {
    ScratchDirectory directory;
    const int status = in_child([&] {
        auto budget = open_budget();
        const auto observer = segment::Observer::open(directory.place());
        if (!observer) return 1;
        cut(directory.place().path(), 0);
        auto copy = observer->view().make_copy();
        static_cast<void>(observer->view().clients());
        static_cast<void>(observer->view().journal(8));
        static_cast<void>(observer->view().key_name(0));
        return observer->view().snapshot(copy) ? 2 : 0;
    });
    CHECK(status == 0);
}

TEST_CASE("a SIGBUS that is not ours does what it did without us") {
    ScratchDirectory directory;
    CHECK(in_child([&] {
              auto budget = open_budget();
              *bad_page(directory) = 1;
              return 0;
          }) == 128 + SIGBUS);
    CHECK(in_child([&] {
              auto budget = open_budget();
              ::raise(SIGBUS);
              return 0;
          }) == 128 + SIGBUS);
    CHECK(in_child([&] {
              ::signal(SIGBUS, hear_and_leave);
              auto budget = open_budget();
              *bad_page(directory) = 1;
              return 0;
          }) == 42);
    CHECK(in_child([&] {
              ::signal(SIGBUS, hear);
              auto budget = open_budget();
              ::raise(SIGBUS);
              ::raise(SIGBUS);
              return heard == 2 ? 0 : 1;
          }) == 0);
    CHECK(in_child([&] {
              ::signal(SIGBUS, SIG_IGN);
              auto budget = open_budget();
              ::raise(SIGBUS);
              return 0;
          }) == 0);
    CHECK(in_child([&] {
              ::signal(SIGBUS, SIG_IGN);
              auto budget = open_budget();
              *bad_page(directory) = 1;
              return 0;
          }) == 128 + SIGBUS);
    CHECK(in_child([&] {
              auto budget = open_budget();
              const auto cost = must(budget.cost({{"weight", 1}}));
              cut(directory.place().path(), 0);
              Error error;
              draw_until_error(budget, cost, error);
              *bad_page(directory) = 1;  // still not ours
              return 0;
          }) == 128 + SIGBUS);
}

namespace {

struct sigaction before_mine {};
void mine_then_theirs(int signal, siginfo_t* info, void* context) {
    heard = heard + 1;
    if (heard > 3) ::_exit(43);  // a circle
    before_mine.sa_sigaction(signal, info, context);
}

}  // namespace

TEST_CASE(
    "a handler that is set after ours and calls it makes no circle; the next open is in front") {
    ScratchDirectory directory;
    const int status = in_child([&] {
        ::signal(SIGBUS, hear_and_leave);
        auto budget = open_budget();
        struct sigaction mine {};
        mine.sa_sigaction = mine_then_theirs;
        mine.sa_flags = SA_SIGINFO;
        if (::sigaction(SIGBUS, &mine, &before_mine) != 0) return 1;
        auto second = must(Budget::open("second", {once("weight", units)}, small_and_full));
        const auto cost = must(second.cost({{"weight", 1}}));
        cut(directory.place("second").path(), 0);
        Error error;
        draw_until_error(second, cost, error);
        if (error.code != ErrorCode::segment_corrupt || heard != 0) return 2;
        *bad_page(directory) = 1;  // ours, mine, ours, and then the one that was there at first
        return 3;
    });
    CHECK(status == 42);
}

TEST_CASE("a program that wants no handler gets none") {
    ScratchDirectory directory;
    const int status = in_child([&] {
        leave_bus_errors_alone();
        auto budget = open_budget();
        const auto cost = must(budget.cost({{"weight", 1}}));
        struct sigaction there {};
        ::sigaction(SIGBUS, nullptr, &there);
        if (there.sa_handler != SIG_DFL) return 1;
        cut(directory.place().path(), 0);
        Error error;
        draw_until_error(budget, cost, error);
        return 0;
    });
    CHECK(status == 128 + SIGBUS);
}
