// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <random>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/ledger_budget.hpp"
#include "support/ledger_storm.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::Book;
using testing::ChildProcess;
using testing::ScratchDirectory;
using testing::Shared;

namespace {

constexpr int workers = 8;

// A worker that is process 1 of a pid namespace of its own: each has the same pid and thread id.
int process_one(const Place& place, std::uint16_t line, Book& book) {
    if (::unshare(CLONE_NEWPID) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) return 77;
    ChildProcess inner(
        [&] { return ::getpid() == 1 ? testing::draw_without_pause(place, line, book) : 78; });
    return inner.wait();
}

bool may_unshare() {
    return ChildProcess([] {
               return ::unshare(CLONE_NEWPID) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0
                          ? 0
                          : 1;
           }).wait() == 0;
}

// The inner process is the only child of `outer`.
void kill_inner(pid_t outer) {
    const auto path =
        "/proc/" + std::to_string(outer) + "/task/" + std::to_string(outer) + "/children";
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (file == nullptr) return;
    int inner = 0;
    if (std::fscanf(file, "%d", &inner) == 1 && inner > 1) ::kill(inner, SIGKILL);
    std::fclose(file);
}

void run(int kills, unsigned seed) {
    if (!may_unshare()) {
        WARN("not run: unshare(CLONE_NEWPID) is not allowed here");
        return;
    }
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    const auto keeper =
        testing::create_ledger(place, {.clients = 1024, .reservations = 8, .limits = 16, .keys = 1})
            .value();
    Shared<Book> book;
    std::mt19937 random(seed);
    std::vector<ChildProcess> outers;
    const auto start = [&](std::uint16_t line) {
        return ChildProcess([&, line] { return process_one(place, line, *book); });
    };
    for (std::uint16_t line = 0; line < workers; ++line) outers.push_back(start(line));
    const auto lapse = [](core::State&, const core::Rules&, core::Instant, std::uint16_t,
                          std::uint32_t) { return false; };
    int violations = 0;
    auto copy = keeper->view().make_copy();
    for (int kill = 0; kill < kills; ++kill) {
        testing::spin(random() % 1'000'000);
        const auto line = static_cast<std::uint16_t>(random() % workers);
        // It may not have forked yet: strike until it is gone.
        while (!outers[line].has_ended()) kill_inner(outers[line].pid());
        if (!keeper->view().snapshot(copy) || !testing::read_ledger(copy).adds_up) ++violations;
        if (kill % 16 == 0) (void)keeper->sweep(lapse, core::far);
        outers[line] = start(line);
    }
    book->stop = 1;
    for (auto& outer : outers) outer.wait();
    const auto ledger = testing::read_ledger(keeper->view()).value();
    WARN("seed " << seed << ": " << kills << " kills, " << ledger.total << " commits, "
                 << keeper->view().counter(BudgetCounter::lock_takeovers) << " takeovers");
    CHECK(violations == 0);
    CHECK(book->errors == 0);
    CHECK(ledger.adds_up);
    CHECK(testing::broken_lines(ledger, *book) == 0);
}

}  // namespace

TEST_CASE(
    "G4, C09, C17: namespace storm: eight processes, each pid 1 of its own namespace, 1,000 "
    "kills",
    "[namespace]") {
    run(1'000, 5);
}

TEST_CASE("G4, C09, C17: namespace storm of 4,000 kills", "[.][nightly][namespace]") {
    run(4'000, 6);
}
