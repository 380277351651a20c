// SPDX-License-Identifier: Apache-2.0
//
// What the venue counted that none of us drew, and a wall clock that steps.
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

constexpr Instant start = 1020 * s;  // a minute begins

LimitRecord fixed(std::uint64_t quota = 100) {
    return record_of(limit(LimitKind::fixed, quota, 60 * s, 1, s));
}

bool observe(ScratchBudget& budget, std::uint64_t used, Instant now, Instant at = 0) {
    const bool changed = observe_used(budget.state(), budget.rules(), budget.workspace(), 0, used,
                                      at == 0 ? now : at, now);
    budget.freshen(now);
    return changed;
}

std::uint32_t used(ScratchBudget& budget, Instant now) {
    const Cell& cell = budget.state().cells()[0];
    return used_in_window(budget.head(), budget.rules().of(cell), cell, 0, now);
}

bool step_clock(ScratchBudget& budget, std::int64_t offset, Instant now) {
    const bool changed = renew_offset(budget.state(), budget.rules(), offset, now);
    budget.freshen(now);
    return changed;
}

}  // namespace

TEST_CASE("what strangers drew is charged once, and a lower count gives nothing back") {
    ScratchBudget budget({fixed()});
    REQUIRE(budget.take(start + 2 * s, 10));
    struct Row {
        std::uint64_t venue;
        bool changed;
        std::uint32_t used;
    };
    for (const Row& row : std::initializer_list<Row>{{10, false, 10},
                                                     {5, false, 10},
                                                     {40, true, 40},
                                                     {40, false, 40},
                                                     {30, false, 40},
                                                     {45, true, 45},
                                                     {0, false, 45}}) {
        INFO(row.venue);
        REQUIRE(observe(budget, row.venue, start + 3 * s) == row.changed);
        REQUIRE(used(budget, start + 3 * s) == row.used);
    }
    REQUIRE(budget.state().cells()[0].outside == 35);
    REQUIRE(budget.take(start + 4 * s, 55));
    REQUIRE_FALSE(budget.take(start + 4 * s));
    // Units in flight were counted by us already: the maximum over the window stands.
    REQUIRE_FALSE(observe(budget, 90, start + 5 * s));
}

TEST_CASE("a spread limit is paced with what others draw, and owes the next window nothing") {
    auto definition = limit(LimitKind::fixed, 58, 60 * s, 1, s);  // a unit a second of 58 s
    definition.spread = true;
    ScratchBudget budget({record_of(definition)});
    REQUIRE(budget.take(start + 2 * s));
    REQUIRE_FALSE(budget.take(start + 2 * s));
    REQUIRE(observe(budget, 11, start + 3 * s));  // ten of others, as if we had drawn them now
    REQUIRE_FALSE(budget.take(start + 13 * s - 1));
    REQUIRE(budget.take(start + 13 * s));
    // A stranger that drew more than the rest of the window could pace: the window alone is lost.
    REQUIRE(observe(budget, 57, start + 20 * s));
    REQUIRE_FALSE(budget.take(start + 59 * s - 1));
    REQUIRE(observe(budget, 0, start + 61 * s));  // nobody else has come back
    REQUIRE(budget.take(start + 61 * s));
}

TEST_CASE("a count of another window is ignored") {
    ScratchBudget budget({fixed()});
    REQUIRE(budget.take(start + 2 * s, 10));
    REQUIRE_FALSE(observe(budget, 90, start + 61 * s, start + 2 * s));
    REQUIRE(used(budget, start + 61 * s) == 0);
}

TEST_CASE("the last window's outside use is held back in the next until a reply says otherwise") {
    ScratchBudget budget({fixed()});
    REQUIRE(budget.take(start + 2 * s, 10));
    REQUIRE(observe(budget, 40, start + 3 * s));
    const Instant next = start + 61 * s;
    REQUIRE(used(budget, next) == 30);
    REQUIRE_FALSE(budget.take(next, 71));
    REQUIRE(budget.take(next, 5));
    SECTION("fewer strangers") {
        REQUIRE(observe(budget, 7, next + s));
        REQUIRE(used(budget, next + s) == 7);
        REQUIRE(budget.take(next + s, 93));
    }
    SECTION("none") {
        REQUIRE(observe(budget, 5, next + s));
        REQUIRE(used(budget, next + s) == 5);
        REQUIRE(used(budget, next + 60 * s) == 0);
    }
    SECTION("more strangers") {
        REQUIRE(observe(budget, 65, next + s));
        REQUIRE(used(budget, next + s) == 65);
    }
    SECTION("no reply: held back once, not for ever") {
        REQUIRE(used(budget, next + 60 * s) == 0);
        REQUIRE(budget.take(next + 60 * s, 100));
    }
}

TEST_CASE("the guess is taken back though nobody of ours has drawn in the window yet") {
    ScratchBudget budget({fixed()});
    REQUIRE(budget.take(start + 2 * s, 10));
    REQUIRE(observe(budget, 40, start + 3 * s));
    REQUIRE(observe(budget, 12, start + 61 * s));
    REQUIRE(used(budget, start + 61 * s) == 12);
    REQUIRE(budget.state().cells()[0].outside == 12);
}

TEST_CASE("strangers above the quota are not mistaken for us, and units given back stay theirs") {
    ScratchBudget budget({fixed()});
    Request request = request_of({{0, 60}});
    const Answer permit = budget.ask(request, start + 2 * s);
    REQUIRE(observe(budget, 150, start + 3 * s));
    REQUIRE(budget.state().cells()[0].outside == 90);
    REQUIRE_FALSE(observe(budget, 150, start + 3 * s));
    REQUIRE(give_back(budget.state(), budget.rules(), permit.id, request, 0, permit.at,
                      start + 4 * s) == 60);
    REQUIRE_FALSE(budget.take(start + 4 * s, 11));
    REQUIRE(budget.take(start + 4 * s, 10));
    REQUIRE(used(budget, start + 61 * s) == 90);
}

TEST_CASE("outside use that breaks the plan moves those who wait, in order of arrival") {
    ScratchBudget budget({fixed(), record_of(limit(LimitKind::rolling, 1, 4 * s, 1, s))});
    REQUIRE(budget.ask({{0, 10}, {1, 1}}, start + 2 * s).verdict == Verdict::granted);
    const Answer first = budget.ask({{0, 50}, {1, 1}}, start + 2 * s, far);
    const Answer second = budget.ask({{0, 20}, {1, 1}}, start + 2 * s, far);
    REQUIRE(first.at == start + 7 * s);
    REQUIRE(second.at == start + 12 * s);
    REQUIRE(observe(budget, 25, start + 3 * s));
    REQUIRE(budget.entry(first.id)->at == first.at);  // still fits: nothing moves
    REQUIRE(observe(budget, 60, start + 4 * s));
    // 40 are left: the second fits before, without delaying the first, which had to go anyway.
    REQUIRE(budget.entry(first.id)->at == start + 61 * s);
    REQUIRE(budget.entry(second.id)->at == start + 7 * s);
}

TEST_CASE("a bucket's remaining count sets it to what the venue's was when it answered") {
    ScratchBudget budget({record_of(limit(LimitKind::bucket, 10, s, 20))});
    const Instant now = 1000 * s;
    const auto observe_left = [&](std::uint64_t left) {
        return observe_remaining(budget.state(), budget.rules(), budget.workspace(), 0, left, now);
    };
    const auto full_at = [&] { return budget.state().cells()[0].lane[0].full_at; };
    REQUIRE_FALSE(observe_left(20));
    REQUIRE_FALSE(observe_left(UINT64_MAX));
    REQUIRE(observe_left(5));
    // now + time(20 - 5) - slack
    REQUIRE(full_at() >= now + 1500 * ms - 250 * ms);
    REQUIRE(full_at() <= now + 1500 * ms - 250 * ms + 1);
    REQUIRE_FALSE(observe_left(6));
    REQUIRE_FALSE(observe_left(5));
    REQUIRE_FALSE(budget.take(now, 6));
    REQUIRE(budget.take(now + 1, 4));
    REQUIRE(observe_left(0));
}

TEST_CASE("a rolling limit's remaining count is the most that goes at once") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 10, 10 * s, 5, s))});
    const Instant now = 1000 * s;
    REQUIRE_FALSE(observe_remaining(budget.state(), budget.rules(), budget.workspace(), 0, 5, now));
    REQUIRE(observe_remaining(budget.state(), budget.rules(), budget.workspace(), 0, 2, now));
    REQUIRE_FALSE(budget.take(now + 1, 3));
    REQUIRE(budget.take(now + 1, 2));
    REQUIRE(budget.state().cells()[0].outside == 3);
}

TEST_CASE("a step of the wall clock never gives a free window") {
    for (const std::int64_t step :
         {-3600 * s, 3600 * s, -60 * s, 60 * s, -24 * 3600 * s, 24 * 3600 * s, -130 * ms - s / 2,
          17300 * ms, -17300 * ms, -1000 * 24 * 3600 * s}) {
        INFO(step);
        ScratchBudget budget({fixed()});
        REQUIRE(budget.take(start - 30 * s, 25));
        REQUIRE(budget.take(start + 2 * s, 60));
        const Instant now = start + 20 * s;
        REQUIRE(step_clock(budget, step, now));
        // used 60 and 25 in the window before
        REQUIRE(used(budget, now) == 85);
        REQUIRE_FALSE(budget.ask({{0, 16}}, now).at <= now);
        // Again and again, to and fro: it only fills up.
        REQUIRE(step_clock(budget, 0, now + ms));
        REQUIRE(used(budget, now + ms) >= 85);
        REQUIRE(step_clock(budget, step, now + 2 * ms));
        REQUIRE(used(budget, now + 2 * ms) <= 100);
        REQUIRE(valid(budget.state()));
    }
}

TEST_CASE("a step long after the last request carries nothing over") {
    ScratchBudget budget({fixed()});
    REQUIRE(budget.take(start + 2 * s, 100));
    REQUIRE(step_clock(budget, 3600 * s, start + 3600 * s));
    REQUIRE(used(budget, start + 3600 * s) == 0);
}

TEST_CASE("a wall clock that is off by little more than its reading only renews the offset") {
    ScratchBudget budget({fixed()});
    REQUIRE(budget.take(start + 2 * s, 60));
    REQUIRE_FALSE(step_clock(budget, 5 * ms, start + 3 * s));
    REQUIRE(budget.head().utc_offset == 0);
    REQUIRE(step_clock(budget, 6 * ms, start + 3 * s));
    REQUIRE(budget.head().utc_offset == 6 * ms);
    REQUIRE(used(budget, start + 3 * s) == 60);
    REQUIRE(used(budget, start + 60 * s) == 0);
}

TEST_CASE("a window that a cold start closed stays closed to its new end when the clock steps") {
    ScratchBudget::Options options;
    options.now = start + 50 * s;
    options.full = false;
    ScratchBudget budget({fixed()}, options);
    REQUIRE(budget.ask({{0, 1}}, start + 53 * s).at == start + 61 * s);
    // Now the minute began 5 s ago.
    REQUIRE(step_clock(budget, 12 * s, start + 53 * s));
    REQUIRE(budget.ask({{0, 1}}, start + 54 * s).at == start + 109 * s);
}

TEST_CASE("a step moves what waits for a window to the new window") {
    ScratchBudget budget({fixed()});
    REQUIRE(budget.take(start + 2 * s, 100));
    const Answer waits = budget.ask({{0, 1}}, start + 2 * s, far);
    REQUIRE(waits.at == start + 61 * s);
    REQUIRE(step_clock(budget, 10 * s, start + 3 * s));
    REQUIRE(budget.entry(waits.id)->at == start + 51 * s);
}

TEST_CASE("a confirmed permit not charged yet is charged before the clock steps") {
    ScratchBudget budget({fixed(10)});
    REQUIRE(budget.take(start + 2 * s, 10));
    const Answer stands = budget.ask({{0, 1}}, start + 2 * s, far);
    const Answer sent = budget.ask({{0, 4}}, start + 2 * s, far);
    REQUIRE(budget.confirm_at(sent.id, sent.at).verdict == Verdict::granted);
    REQUIRE(used(budget, sent.at) == 0);
    REQUIRE(step_clock(budget, 3600 * s + 30 * s, sent.at + s));
    REQUIRE(used(budget, sent.at + s) == 10);  // 4 and the 10 of the window before, at most 10
    REQUIRE(budget.entry(stands.id)->at > sent.at + s);
}
