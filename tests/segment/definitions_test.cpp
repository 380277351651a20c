// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::create_ledger;
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity small{.clients = 4, .reservations = 8, .limits = 16, .keys = 2};

Definitions with_quota(std::uint64_t quota) {
    Definitions definitions;
    definitions.current = testing::ledger_definitions();
    definitions.previous = definitions.current;
    for (auto& record : definitions.current) {
        record.quota = quota;
        record.burst = std::min(record.burst, quota);
    }
    for (auto& record : definitions.previous) record.in_use = 1;
    return definitions;
}

const auto accept = [](core::State&, const core::Rules&, const core::Rules&, core::Instant) {
    return true;
};

std::uint64_t quota_seen_by(Segment& segment) {
    std::uint64_t quota = 0;
    const auto result =
        segment.commit(core::far, [&](core::State&, const core::Rules& rules, core::Instant) {
            quota = rules.current[0].quota;
            return Verdict::unchanged;
        });
    CHECK(result.ok());
    return quota;
}

}  // namespace

TEST_CASE("changed definitions reach every client with the commit that switches them") {
    const ScratchDirectory scratch;
    const auto first = create_ledger(scratch.place(), small).value();
    const auto second = Segment::attach(scratch.place(), {.label = "second"}).value();
    CHECK(quota_seen_by(*second) == 1'000'000);
    for (std::uint64_t quota = 500'000; quota > 499'990; --quota) {
        const auto done =
            first->redefine(with_quota(quota), core::far,
                            [&](core::State& state, const core::Rules& before,
                                const core::Rules& after, core::Instant) {
                                CHECK(after.current[0].quota == quota);
                                CHECK(before.current[0].quota != quota);
                                CHECK(state.head->limits_in_use == testing::ledger_lines);
                                return true;
                            });
        REQUIRE(done);
        CHECK(done->published);
        CHECK(quota_seen_by(*second) == quota);
        CHECK(quota_seen_by(*first) == quota);
        auto copy = second->view().make_copy();
        REQUIRE(second->view().snapshot(copy));
        const auto read = second->view().definitions(copy);
        REQUIRE(read);
        CHECK(read->current == with_quota(quota).current);
        CHECK(read->previous[0].quota == 1'000'000);
    }
}

TEST_CASE("a change that is not wanted leaves the definitions that count") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    const auto done = segment->redefine(
        with_quota(7), core::far,
        [](core::State&, const core::Rules&, const core::Rules&, core::Instant) { return false; });
    REQUIRE(done);
    CHECK_FALSE(done->published);
    CHECK(quota_seen_by(*segment) == 1'000'000);
}

TEST_CASE(
    "definitions that could not be kept, or do not fit, are refused before anything is written") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    auto bad = with_quota(0);
    auto done = segment->redefine(bad, core::far, accept);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::invalid_argument);
    auto many = with_quota(5'000);
    many.current.resize(17, many.current[0]);
    done = segment->redefine(many, core::far, accept);
    REQUIRE_FALSE(done);
    CHECK(done.error().message.find("17 limits") != std::string::npos);
    CHECK(quota_seen_by(*segment) == 1'000'000);
}

TEST_CASE("a second writer of definitions is told who the first is") {
    const ScratchDirectory scratch;
    const auto first = create_ledger(scratch.place(), small, {.label = "ratectl"}).value();
    const auto second = Segment::attach(scratch.place(), {.label = "second"}).value();
    const auto done = first->redefine(
        with_quota(5'000), core::far,
        [&](core::State&, const core::Rules&, const core::Rules&, core::Instant) {
            const auto refused = second->redefine(with_quota(6'000), core::far, accept);
            REQUIRE_FALSE(refused);
            CHECK(refused.error().code == ErrorCode::busy);
            CHECK(refused.error().message.find("ratectl (pid " + std::to_string(::getpid())) !=
                  std::string::npos);
            return true;
        });
    REQUIRE(done);
    CHECK(second->redefine(with_quota(6'000), core::far, accept));
}

TEST_CASE("G4: a writer of definitions that dies half way leaves those that count, and no lock") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    testing::ChildProcess dying([&] {
        const auto own = Segment::attach(scratch.place(), {.label = "dying"}).value();
        (void)own->redefine(
            with_quota(9'000), core::far,
            [](core::State&, const core::Rules&, const core::Rules&, core::Instant) {
                ::kill(::getpid(), SIGKILL);
                return true;
            });
        return 0;
    });
    CHECK(dying.wait() == 128 + SIGKILL);
    CHECK(quota_seen_by(*segment) == 1'000'000);
    CHECK(segment->redefine(with_quota(8'000), core::far, accept));
    CHECK(quota_seen_by(*segment) == 8'000);
}

TEST_CASE("key names are shown with their generation") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    segment->set_key_name(1, 7, "account", "main");
    segment->set_key_name(9, 7, "account", "beyond the table");
    const auto name = segment->view().key_name(1);
    CHECK(name.dimension == "account");
    CHECK(name.name == "main");
    CHECK(name.generation == 7);
    CHECK(segment->view().key_name(0).name.empty());
    CHECK(segment->view().key_name(9).name.empty());
}
