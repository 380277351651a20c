// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <random>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::ChildProcess;
using testing::create_ledger;
using testing::ScratchDirectory;
using testing::Shared;

namespace {

constexpr core::Capacity small{.clients = 8, .reservations = 64, .limits = 16, .keys = 4};

struct Watch {
    std::atomic<int> stop{0};
    std::atomic<std::uint64_t> polls{0};
    std::atomic<std::uint64_t> absent{0};
    std::atomic<std::uint64_t> whole{0};
    std::atomic<std::uint64_t> half_made{0};
};

// Attaches without a pause: whatever it finds must be absent or whole.
int poll_for_half_made(const Place& place, Watch& watch) {
    while (watch.stop.load() == 0) {
        const auto observer = Observer::open(place);
        ++watch.polls;
        if (!observer) {
            observer.error().code == ErrorCode::no_such_budget ? ++watch.absent : ++watch.half_made;
            continue;
        }
        const auto ledger = testing::read_ledger(observer->view());
        ledger && ledger->adds_up ? ++watch.whole : ++watch.half_made;
    }
    return 0;
}

}  // namespace

TEST_CASE(
    "G4, C02: creation storm: creators killed at any instant leave nothing, and attachers see "
    "nothing half made",
    "[creation]") {
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    constexpr int storms = 500;
    Shared<Watch> watch;
    ChildProcess watcher([&] { return poll_for_half_made(place, *watch); });
    std::mt19937 random(11);
    int killed = 0;
    int survivors_failed = 0;
    for (int storm = 0; storm < storms; ++storm) {
        std::vector<ChildProcess> creators;
        const auto count = 1 + random() % 3;
        for (unsigned i = 0; i < count; ++i) {
            creators.emplace_back([&] { return create_ledger(place, small) ? 0 : 1; });
        }
        testing::spin(random() % 2'000'000);
        for (auto& creator : creators) {
            creator.send(SIGKILL);
            if (creator.wait() == 128 + SIGKILL) ++killed;
        }
        const auto made = create_ledger(place, small);
        const auto attached = made ? Result<std::unique_ptr<Segment>>(nullptr)
                                   : Segment::attach(place, {.label = "survivor"});
        if (!made && (made.error().code != ErrorCode::already_exists || !attached)) {
            ++survivors_failed;
        }
        ::unlink(place.path().c_str());
        if (scratch.entries() != 0) FAIL("litter after storm " << storm);
    }
    watch->stop = 1;
    CHECK(watcher.wait() == 0);
    WARN("creators killed in flight: " << killed << ", polls: " << watch->polls.load()
                                       << " (absent " << watch->absent.load() << ", whole "
                                       << watch->whole.load() << ")");
    CHECK(survivors_failed == 0);
    CHECK(watch->half_made == 0);
    CHECK(watch->whole > 0);
}

TEST_CASE("C02: creation by many at once gives one segment, and everybody is on it", "[creation]") {
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    constexpr core::Capacity capacity{.clients = 32, .reservations = 8, .limits = 16, .keys = 4};
    struct Barrier {
        std::atomic<int> ready{0};
        std::atomic<int> created{0};
    };
    Shared<Barrier> barrier;
    constexpr int racers = 16;
    std::vector<ChildProcess> children;
    for (int i = 0; i < racers; ++i) {
        children.emplace_back([&] {
            ++barrier->ready;
            while (barrier->ready.load() < racers) ::sched_yield();
            auto segment = create_ledger(place, capacity);
            if (segment) {
                ++barrier->created;
            } else if (segment.error().code == ErrorCode::already_exists) {
                segment = Segment::attach(place, {.label = "racer"});
            }
            if (!segment) return 1;
            return testing::draw(**segment, 0).published ? 0 : 2;
        });
    }
    for (auto& child : children) CHECK(child.wait() == 0);
    CHECK(barrier->created == 1);
    const auto ledger = testing::read_ledger(Observer::open(place)->view()).value();
    CHECK(ledger.adds_up);
    CHECK(ledger.total == racers);
    CHECK(scratch.entries() == 1);
}

TEST_CASE(
    "C15: creation where there is no room fails at once, leaves nothing, and says what it needs",
    "[creation]") {
    const ScratchDirectory scratch;
    const auto room = scratch.path() + "/room";
    REQUIRE(::mkdir(room.c_str(), 0700) == 0);
    if (::mount("ratecoord-test", room.c_str(), "tmpfs", 0, "size=64k") != 0) {
        WARN("not run: mounting a small tmpfs is not allowed here");
        return;
    }
    ::setenv("RATECOORD_DIR", room.c_str(), 1);
    const auto created = create_ledger(place_of("budget").value(), small);
    const bool left_nothing = std::filesystem::is_empty(room);
    ::umount2(room.c_str(), MNT_DETACH);
    ::setenv("RATECOORD_DIR", scratch.path().c_str(), 1);
    REQUIRE_FALSE(created);
    CHECK(created.error().code == ErrorCode::out_of_space);
    CHECK(created.error().message.find(std::to_string(segment_bytes(small))) != std::string::npos);
    CHECK(left_nothing);
}
