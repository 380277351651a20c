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

#include "fault/lost_pages.hpp"
#include "segment/segment.hpp"
#include "support/gate.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

void punch(const std::string& path, std::uint64_t from, std::uint64_t bytes) {
    const int fd = ::open(path.c_str(), O_RDWR);
    REQUIRE(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                        static_cast<off_t>(bytes)) == 0);
    ::close(fd);
}

/// Whether every call of a budget that lost its memory says so. (What is left of it may be looked at.)
bool all_fail(Budget& budget, const Cost& cost) {
    Reservation reservation;
    return !budget.try_acquire(cost) && !budget.acquire(cost, 1h) &&
           !budget.reserve(cost, BootClock::now() + 1h, reservation) &&
           !budget.pause(PauseKind::manual, BootClock::now() + 1s) && !budget.halt("x") &&
           !budget.reset(false) && !read_snapshot("budget");
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
