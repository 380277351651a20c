// SPDX-License-Identifier: Apache-2.0
//
// We live in other people's processes: what becomes of the signals that are not ours.
#include <signal.h>
#include <sys/mman.h>

#include "fault/lost_pages.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

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
