// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/ledger_budget.hpp"
#include "support/manual_clock.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::ChildProcess;
using testing::create_ledger;
using testing::draw;
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity small{.clients = 4, .reservations = 8, .limits = 16, .keys = 2};

ErrorCode code_after_a_second(Segment& segment, testing::ManualClock& clock) {
    clock.advance(core::second_ns + 1);
    return draw(segment, 0).code;
}

int fd_of(const std::string& path) {
    struct stat wanted {};
    REQUIRE(::stat(path.c_str(), &wanted) == 0);
    for (int fd = 3; fd < 256; ++fd) {
        struct stat status {};
        if (::fstat(fd, &status) == 0 && status.st_ino == wanted.st_ino) return fd;
    }
    return -1;
}

}  // namespace

TEST_CASE("G7: a name that vanished ends the attachment within a second") {
    const ScratchDirectory scratch;
    testing::ManualClock clock;
    const auto segment =
        create_ledger(scratch.place(), small, {.label = "a", .clock = &clock}).value();
    REQUIRE(::unlink(scratch.place().path().c_str()) == 0);
    CHECK(draw(*segment, 0).ok());  // not looked at yet
    CHECK(code_after_a_second(*segment, clock) == ErrorCode::detached);
    CHECK(segment->detachment() == Detachment::vanished);
    CHECK(draw(*segment, 0).code == ErrorCode::detached);
    CHECK(segment->wait(0, core::far) == WaitEnd::detached);
}

TEST_CASE("G7: a name that means another segment ends the attachment") {
    const ScratchDirectory scratch;
    testing::ManualClock clock;
    const auto segment =
        create_ledger(scratch.place(), small, {.label = "a", .clock = &clock}).value();
    const auto moved = scratch.path() + "/moved";
    REQUIRE(::rename(scratch.place().path().c_str(), moved.c_str()) == 0);
    const auto fresh =
        create_ledger(scratch.place(), small, {.label = "b", .clock = &clock}).value();
    CHECK(code_after_a_second(*segment, clock) == ErrorCode::detached);
    CHECK(segment->detachment() == Detachment::replaced);
    CHECK(draw(*fresh, 0).published);
    CHECK(segment->destroy(core::far).error().code == ErrorCode::detached);
    CHECK(fresh->view().is_linked());
}

TEST_CASE("a segment that is destroyed is retired for all at once, and its name is free") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    const auto other = Segment::attach(scratch.place(), {.label = "other"}).value();
    REQUIRE(segment->destroy(core::far));
    const auto told = other->view().journal(1);
    REQUIRE(told.size() == 1);
    CHECK(told[0].event == Event::retired);
    const auto result = draw(*other, 0);
    CHECK(result.code == ErrorCode::detached);
    CHECK(other->detachment() == Detachment::retired);
    CHECK(other->error_of(result).message.find("was destroyed") != std::string::npos);
    CHECK(scratch.entries() == 0);
    CHECK(create_ledger(scratch.place(), small));
}

TEST_CASE(
    "a program that closes every descriptor gives its slot up for good, and closes nobody's") {
    const ScratchDirectory scratch;
    testing::ManualClock clock;
    auto segment = create_ledger(scratch.place(), small, {.label = "a", .clock = &clock}).value();
    const int fd = fd_of(scratch.place().path());
    REQUIRE(fd > 10);
    ::close(fd);
    const int somebody = ::fcntl(::open("/dev/null", O_RDONLY), F_DUPFD, fd);
    REQUIRE(somebody == fd);
    CHECK(code_after_a_second(*segment, clock) == ErrorCode::detached);
    CHECK(segment->detachment() == Detachment::descriptor_lost);
    segment.reset();
    CHECK(::fcntl(somebody, F_GETFD) >= 0);
    ::close(somebody);
}

TEST_CASE("G4, C21: a forked child gets a slot of its own and touches nothing of its parent's") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    REQUIRE(draw(*segment, 0).published);
    const auto slot = segment->slot();
    for (const bool by_destructor : {true, false}) {
        ChildProcess child([&] {
            if (fd_of(scratch.place().path()) != -1) return 2;  // the inherited one was closed
            if (!draw(*segment, 1).published) return 3;
            if (segment->slot() == slot) return 4;
            if (by_destructor) const_cast<std::unique_ptr<Segment>&>(segment).reset();
            return 0;
        });
        CHECK(child.wait() == 0);
    }
    CHECK_FALSE(segment->is_dead(slot.index));
    CHECK(segment->slot() == slot);
    REQUIRE(draw(*segment, 0).published);
    const auto ledger = testing::read_ledger(segment->view()).value();
    CHECK(ledger.adds_up);
    CHECK(ledger.lines[0] == 2);
    CHECK(ledger.lines[1] == 2);
}

TEST_CASE("G4, C21: a child forked while another thread commits is not held up by it") {
    const ScratchDirectory scratch;
    const auto segment =
        create_ledger(scratch.place(), {.clients = 64, .reservations = 8, .limits = 16}).value();
    std::atomic<bool> done{false};
    std::thread busy([&] {
        while (!done) (void)draw(*segment, 0);
    });
    int failures = 0;
    for (int i = 0; i < 30; ++i) {
        ChildProcess child([&] { return draw(*segment, 1).published ? 0 : 1; });
        if (child.wait() != 0) ++failures;
    }
    done = true;
    busy.join();
    CHECK(failures == 0);
    CHECK(testing::read_ledger(segment->view())->lines[1] == 30);
    CHECK(testing::read_ledger(segment->view())->adds_up);
}

TEST_CASE("C21: a child made by a raw clone, past every handler, notices as well") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    const auto pid = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    REQUIRE(pid >= 0);
    if (pid == 0) {
        const auto own = segment->slot();
        const bool fine = draw(*segment, 1).published && !(segment->slot() == own);
        ::_exit(fine ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
    CHECK(draw(*segment, 0).published);
    CHECK(testing::read_ledger(segment->view())->adds_up);
}

TEST_CASE("a forked child of a segment that is gone is refused and told") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    ::unlink(scratch.place().path().c_str());
    ChildProcess child([&] {
        return draw(*segment, 1).code == ErrorCode::detached &&
                       segment->detachment() == Detachment::forked
                   ? 0
                   : 1;
    });
    CHECK(child.wait() == 0);
}

TEST_CASE("a lost wake is repaired by whoever looks next") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    const auto mapping = map_file(scratch.place(), Access::read_write).value();
    auto* word = reinterpret_cast<std::uint32_t*>(mapping.base() + mapping.geometry.control +
                                                  offsetof(Control, epoch));
    const auto raise = [](core::State& state, const core::Rules&, core::Instant) {
        ++state.head->epoch;
        return true;
    };
    REQUIRE(segment->commit(core::far, raise).published);
    CHECK(__atomic_load_n(word, __ATOMIC_ACQUIRE) == 1);
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);  // as if its committer had died before the wake
    SECTION("a committer") {
        REQUIRE(draw(*segment, 0).published);
        CHECK(__atomic_load_n(word, __ATOMIC_ACQUIRE) == 1);
    }
    SECTION("a waiter") {
        CHECK(segment->wait(1, segment->clock().boot() + core::millisecond_ns) == WaitEnd::due);
        CHECK(__atomic_load_n(word, __ATOMIC_ACQUIRE) == 1);
        CHECK(segment->view().counter(BudgetCounter::epoch_repairs) == 1);
    }
}

TEST_CASE("wait says whether the time has come, the epoch moved or only a second passed") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    const auto now = segment->clock().boot();
    CHECK(segment->wait(0, now) == WaitEnd::due);
    CHECK(segment->wait(0, now + core::millisecond_ns) == WaitEnd::due);
    CHECK(segment->clock().boot() >= now + core::millisecond_ns);
    CHECK(segment->wait(1, core::far) == WaitEnd::changed);
    CHECK(segment->wait(0, now + 60 * core::second_ns) == WaitEnd::slice);
}
