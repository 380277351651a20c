// SPDX-License-Identifier: Apache-2.0
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
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity small{.clients = 3, .reservations = 8, .limits = 16, .keys = 2};

// Notes whom it was called for, in the ledger's last line.
bool lapse(core::State& state, const core::Rules&, core::Instant now, std::uint16_t slot,
           std::uint32_t) {
    for (int i = 0; i <= slot; ++i) testing::enter(state, 15, now);
    return true;
}

/// A child that attaches and then waits to be killed. Returns once it is attached.
ChildProcess attached_child(const Place& place, const Clock& clock) {
    testing::Shared<std::atomic<int>> ready;
    auto* flag = &*ready;
    ChildProcess child([&] {
        const auto own = Segment::attach(place, {.label = "child", .clock = &clock});
        flag->store(own ? 1 : 2);
        if (own) ::pause();
        return 0;
    });
    while (flag->load() == 0) ::sched_yield();
    CHECK(flag->load() == 1);
    return child;
}

}  // namespace

TEST_CASE("a slot that was left rests for 2 s, then has another generation") {
    const ScratchDirectory scratch;
    testing::ManualClock clock;
    auto first =
        create_ledger(scratch.place(), {1, 8, 16, 2}, {.label = "a", .clock = &clock}).value();
    const auto slot = first->slot();
    first.reset();
    auto refused = Segment::attach(scratch.place(), {.label = "b", .clock = &clock});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::segment_full);
    CHECK(refused.error().message.find("1 rest") != std::string::npos);
    clock.advance(slot_rest_ns - 1);
    CHECK_FALSE(Segment::attach(scratch.place(), {.label = "b", .clock = &clock}));
    clock.advance(1);
    const auto second = Segment::attach(scratch.place(), {.label = "b", .clock = &clock});
    REQUIRE(second);
    CHECK((*second)->slot().index == slot.index);
    CHECK((*second)->slot().generation > slot.generation);
}

TEST_CASE("C17: the dead are told by their lock, not by a pid: a live one is never swept") {
    const ScratchDirectory scratch;
    testing::ManualClock clock;
    const auto segment =
        create_ledger(scratch.place(), small, {.label = "keeper", .clock = &clock}).value();
    auto child = attached_child(scratch.place(), clock);
    CHECK(segment->view().clients().size() == 2);
    CHECK(segment->sweep(lapse, core::far).empty());
    child.send(SIGSTOP);
    REQUIRE(child.has_stopped());
    CHECK(segment->sweep(lapse, core::far).empty());
    // A pid that is somebody else's now proves nothing: the record is only for display.
    const auto mapping = map_file(scratch.place(), Access::read_write).value();
    auto* record = mapping.base() + mapping.geometry.clients + sizeof(ClientRecord);
    const std::int32_t pid = 1;
    std::memcpy(record + offsetof(ClientRecord, pid), &pid, sizeof pid);
    CHECK(segment->sweep(lapse, core::far).empty());
    child.end();
    const auto dead = segment->sweep(lapse, core::far);
    REQUIRE(dead.size() == 1);
    CHECK(dead[0].label == "child");
    CHECK(dead[0].slot.index == 1);
    CHECK(testing::read_ledger(segment->view())->lines[15] == 2);
    CHECK(segment->view().counter(BudgetCounter::recoveries) == 1);
    CHECK(segment->sweep(lapse, core::far).empty());
    CHECK(segment->view().clients().size() == 1);
    CHECK(segment->view().client(1).slot.generation == dead[0].slot.generation + 1);
}

TEST_CASE("who finds every slot taken by the dead sweeps them, and is told when to come back") {
    const ScratchDirectory scratch;
    testing::ManualClock clock;
    create_ledger(scratch.place(), small, {.label = "gone", .clock = &clock}).value().reset();
    clock.advance(slot_rest_ns);
    for (int i = 0; i < 3; ++i) attached_child(scratch.place(), clock).end();
    const AttachOptions options{.label = "late", .lapse = lapse, .clock = &clock};
    const auto refused = Segment::attach(scratch.place(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::segment_full);
    CHECK(refused.error().message.find("0 are taken, 3 rest") != std::string::npos);
    clock.advance(slot_rest_ns);
    const auto attached = Segment::attach(scratch.place(), options);
    REQUIRE(attached);
    CHECK(testing::read_ledger((*attached)->view())->lines[15] == 1 + 2 + 3);
}

TEST_CASE("every slot can be taken, and one more client is told that all are in use") {
    const ScratchDirectory scratch;
    std::vector<std::unique_ptr<Segment>> clients;
    clients.push_back(create_ledger(scratch.place(), small).value());
    while (clients.size() < 3) {
        clients.push_back(Segment::attach(scratch.place(), {.label = "c", .lapse = lapse}).value());
    }
    const auto refused = Segment::attach(scratch.place(), {.label = "d", .lapse = lapse});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("3 are taken, 0 rest") != std::string::npos);
    for (auto& client : clients) CHECK(testing::draw(*client, 0).published);
}
