// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"
#include "support/manual_clock.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::create_ledger;
using testing::draw;
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity small{.clients = 4, .reservations = 8, .limits = 16, .keys = 2};

std::uint64_t total(const Segment& segment) {
    return testing::read_ledger(segment.view()).value().total;
}

}  // namespace

TEST_CASE("a decision is published, kept or discarded as it says") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    const auto commit = [&](auto verdict) {
        return segment->commit(core::far,
                               [&](core::State& state, const core::Rules&, core::Instant now) {
                                   if (verdict != Verdict::unchanged) testing::enter(state, 0, now);
                                   return verdict;
                               });
    };
    CHECK(commit(Verdict::publish).published);
    CHECK(total(*segment) == 1);
    const auto discarded = commit(Verdict::discard);
    CHECK(discarded.ok());
    CHECK_FALSE(discarded.published);
    CHECK(total(*segment) == 1);
    CHECK(commit(Verdict::unchanged).ok());
    CHECK(commit(Verdict::publish).version == 3);
    CHECK(total(*segment) == 2);
    CHECK(testing::read_ledger(segment->view())->adds_up);
}

TEST_CASE("a bool decides as well: false discards") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    const auto refuse = [](core::State& state, const core::Rules&, core::Instant now) {
        testing::enter(state, 0, now);
        return false;
    };
    CHECK_FALSE(segment->commit(core::far, refuse).published);
    CHECK(total(*segment) == 0);
}

TEST_CASE("the decision sees the clock, the rules and the state of the last commit of anybody") {
    const ScratchDirectory scratch;
    testing::ManualClock clock;
    const auto first =
        create_ledger(scratch.place(), small, {.label = "a", .clock = &clock}).value();
    const auto second = Segment::attach(scratch.place(), {.label = "b", .clock = &clock}).value();
    for (std::uint64_t round = 0; round < 10; ++round) {
        auto& segment = round % 2 == 0 ? *first : *second;
        clock.advance(5);
        const auto result = segment.commit(
            core::far, [&](core::State& state, const core::Rules& rules, core::Instant now) {
                CHECK(state.head->pause_generation == round);
                CHECK(now == clock.boot());
                CHECK(rules.current.size() == testing::ledger_lines);
                CHECK(rules.current[0].quota == 1'000'000);
                return testing::enter(state, 1, now);
            });
        CHECK(result.at == clock.boot());
    }
    CHECK(testing::read_ledger(first->view())->adds_up);
}

TEST_CASE("entries and keys are carried in whatever number is in use") {
    const ScratchDirectory scratch;
    const auto writer = create_ledger(scratch.place(), small).value();
    const auto reader = Segment::attach(scratch.place(), {.label = "reader"}).value();
    for (const std::uint16_t entries : std::array<std::uint16_t, 6>{0, 1, 8, 3, 0, 8}) {
        const auto wrote =
            writer->commit(core::far, [&](core::State& state, const core::Rules&, core::Instant) {
                state.head->entries_in_use = entries;
                state.head->keys_in_use = static_cast<std::uint16_t>(entries % 3);
                state.head->next_id = 1000;
                for (std::uint16_t i = 0; i < entries; ++i) {
                    core::Entry entry{};
                    entry.id = entries * 10U + i + 1U;
                    entry.at = i;
                    entry.charges = 1;
                    entry.units[0] = i;
                    state.entry_storage[i] = entry;
                }
                return true;
            });
        REQUIRE(wrote.published);
        const auto read =
            reader->commit(core::far, [&](core::State& state, const core::Rules&, core::Instant) {
                CHECK(state.entries().size() == entries);
                CHECK(state.keys().size() == entries % 3U);
                for (std::uint16_t i = 0; i < entries; ++i) {
                    CHECK(state.entries()[i].id == entries * 10U + i + 1U);
                    CHECK(state.entries()[i].units[0] == i);
                }
                return Verdict::unchanged;
            });
        CHECK(read.ok());
    }
}

TEST_CASE("what is counted with a decision, a refusal too, is shown and outlives its client") {
    const ScratchDirectory scratch;
    const auto keeper = create_ledger(scratch.place(), small).value();
    auto client = Segment::attach(scratch.place(), {.label = "counts"}).value();
    const auto slot = client->slot();
    const auto count = [](Tally& tally) {
        tally.add(ClientCounter::granted);
        tally.add(2, LimitCounter::units, 25);
    };
    const auto grant = [](core::State& state, const core::Rules&, core::Instant now) {
        return testing::enter(state, 0, now);
    };
    for (int i = 0; i < 4; ++i) REQUIRE(client->commit(core::far, grant, count).published);
    const auto refuse = [](core::State&, const core::Rules&, core::Instant) { return false; };
    REQUIRE(client->commit(core::far, refuse, count).ok());
    CHECK(keeper->view().client(slot.index).counters[0] == 5);
    CHECK(keeper->view().limit_totals(2)[static_cast<std::size_t>(LimitCounter::units)] == 125);
    client.reset();
    CHECK(keeper->view().client_totals()[0] == 5);
    CHECK(keeper->view().limit_totals(2)[static_cast<std::size_t>(LimitCounter::units)] == 125);
    keeper->count(BudgetCounter::ignored_refunds, 3);
    CHECK(keeper->view().counter(BudgetCounter::ignored_refunds) == 3);
}

TEST_CASE("G6: a commit whose turn does not come by its deadline says so and draws nothing") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
    std::thread holder([&] {
        (void)segment->commit(core::far, [&](core::State&, const core::Rules&, core::Instant) {
            inside = true;
            while (!leave) std::this_thread::yield();
            return Verdict::unchanged;
        });
    });
    while (!inside) std::this_thread::yield();
    const auto late = draw(*segment, 0, core::millisecond_ns);
    CHECK(late.code == ErrorCode::deadline_exceeded);
    CHECK(segment->error_of(late).message.find("too busy") != std::string::npos);
    leave = true;
    holder.join();
    CHECK(total(*segment) == 0);
}

TEST_CASE("G4: a holder that does not move loses the lock, and its own decision does not count") {
    const ScratchDirectory scratch;
    const auto slow = create_ledger(scratch.place(), small).value();
    const auto other = Segment::attach(scratch.place(), {.label = "other"}).value();
    std::atomic<int> calls{0};
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
    std::thread holder([&] {
        const auto result =
            slow->commit(core::far, [&](core::State& state, const core::Rules&, core::Instant now) {
                ++calls;
                inside = true;
                while (!leave) std::this_thread::yield();
                return testing::enter(state, 0, now);
            });
        CHECK(result.published);
    });
    while (!inside) std::this_thread::yield();
    for (int i = 0; i < 3; ++i) CHECK(draw(*other, 1).published);
    leave = true;
    holder.join();
    CHECK(calls == 2);
    const auto ledger = testing::read_ledger(other->view()).value();
    CHECK(ledger.adds_up);
    CHECK(ledger.lines[0] == 1);
    CHECK(ledger.lines[1] == 3);
    CHECK(other->view().counter(BudgetCounter::lock_takeovers) == 1);
    const auto told = other->view().journal(1);
    REQUIRE(told.size() == 1);
    CHECK(told[0].event == Event::lock_takeover);
    CHECK(told[0].label == "other");
    CHECK(told[0].text == "held by 'creator' pid " + std::to_string(::getpid()));
    CHECK(other->view().counter(BudgetCounter::lost_publications) == 1);
}

TEST_CASE("G7: bytes that fail the checksum are no state, and no permit comes of them") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    const auto other = Segment::attach(scratch.place(), {.label = "other"}).value();
    REQUIRE(draw(*segment, 0).published);
    const auto mapping = map_file(scratch.place(), Access::read_write).value();
    const auto root = load_acquire(word_at(mapping.base(), mapping.geometry.control));
    auto* state = mapping.base() + mapping.geometry.buffer(Root::buffer(root)) + sizeof(BufferHead);
    state[mapping.geometry.state.cells + 40] ^= std::byte{1};
    const auto result = draw(*other, 0);
    CHECK(result.code == ErrorCode::segment_corrupt);
    CHECK(other->error_of(result).message.find(scratch.place().path()) != std::string::npos);
    auto copy = other->view().make_copy();
    const auto seen = other->view().snapshot(copy);
    REQUIRE_FALSE(seen);
    CHECK(seen.error().code == ErrorCode::segment_corrupt);
}

TEST_CASE("C08: the words that processes share are lock-free and of fixed size") {
    STATIC_REQUIRE(std::atomic<std::uint64_t>::is_always_lock_free);
    STATIC_REQUIRE(std::atomic<std::uint32_t>::is_always_lock_free);
    STATIC_REQUIRE(sizeof(std::atomic<std::uint64_t>) == 8);
}
