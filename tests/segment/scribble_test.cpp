// SPDX-License-Identifier: Apache-2.0
//
// A member of the group who writes anything anywhere may deny service. He must not crash, hang or
// misdirect anybody (run under AddressSanitizer as well).
#include <random>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::create_ledger;
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity tiny{.clients = 2, .reservations = 4, .limits = 16, .keys = 2};

bool lapse(core::State& state, const core::Rules&, core::Instant now, std::uint16_t,
           std::uint32_t) {
    return testing::enter(state, 15, now);
}

void scribble(const Mapping& mapping, std::mt19937_64& random) {
    // Half of the strokes hit what everybody reads: header, control block, client records.
    const auto& g = mapping.geometry;
    const auto reach = random() % 2 == 0 ? g.budget_counters : g.total;
    const auto at = random() % (reach / 8) * 8;
    auto* word = word_at(mapping.base(), at);
    const std::uint64_t value = random() % 3 == 0 ? random() % 8 : random();
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

}  // namespace

TEST_CASE("G7: whatever is scribbled over a segment, every call ends and none crashes") {
    std::mt19937_64 random(20240607);
    int decided = 0;
    int refused = 0;
    for (int round = 0; round < 60; ++round) {
        const ScratchDirectory scratch;
        const auto place = scratch.place();
        const auto segment = create_ledger(place, tiny).value();
        const auto mapping = map_file(place, Access::read_write).value();
        auto copy = segment->view().make_copy();
        for (int stroke = 0; stroke < 60; ++stroke) {
            scribble(mapping, random);
            const auto result = testing::draw(*segment, 0, 20 * core::millisecond_ns);
            result.ok() ? ++decided : ++refused;
            (void)segment->view().snapshot(copy);
            (void)segment->view().definitions(copy);
            (void)segment->view().clients();
            (void)segment->view().journal(journal_entries);
            (void)segment->view().key_name(1);
            segment->journal(Event::note, "x");
            (void)segment->wait(copy.state().head->epoch, segment->clock().boot() + 1'000);
            (void)segment->sweep(lapse, segment->clock().boot() + core::millisecond_ns);
            (void)Segment::attach(place, {.label = "second", .lapse = lapse});
        }
    }
    CHECK(decided > 0);
    CHECK(refused > 0);
}

TEST_CASE("G7: a root of 0 is no state: a copy that nothing stands behind is never decided on") {
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    const auto segment = create_ledger(place, tiny).value();
    const auto mapping = map_file(place, Access::read_write).value();
    const auto refuse = [](core::State& state, const core::Rules&, core::Instant now) {
        testing::enter(state, 0, now);
        return false;
    };
    REQUIRE(testing::draw(*segment, 0).ok());
    REQUIRE(segment->commit(core::far, refuse).ok());
    __atomic_store_n(word_at(mapping.base(), mapping.geometry.control + offsetof(Control, root)), 0,
                     __ATOMIC_RELEASE);
    for (int i = 0; i < 3; ++i) {
        CHECK(testing::draw(*segment, 0).code == ErrorCode::segment_corrupt);
        CHECK(segment->commit(core::far, refuse).code == ErrorCode::segment_corrupt);
    }
}
