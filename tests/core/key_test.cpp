// SPDX-License-Identifier: Apache-2.0
//
// Keys: made by their first use, recycled only when they left nothing behind.
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

constexpr Instant t = 1000 * s;

LimitRecord per_account(LimitKind kind = LimitKind::rolling) {
    LimitDefinition d = limit(kind, 10, 10 * s, 1, s);
    d.per = "account";
    return record_of(d);
}

/// Room for two keys.
ScratchBudget two_keys(std::vector<LimitRecord> limits) {
    ScratchBudget::Options options;
    options.capacity = Capacity{4, 64, 4, 2};
    return ScratchBudget(std::move(limits), options);
}

Verdict ask(ScratchBudget& budget, std::uint64_t key, Instant now) {
    return budget.ask({{0, 1, key}}, now).verdict;
}

}  // namespace

TEST_CASE("each key has its own units") {
    ScratchBudget budget = two_keys({per_account()});
    REQUIRE(ask(budget, 7, t) == Verdict::granted);
    REQUIRE(ask(budget, 7, t) == Verdict::not_yet);
    REQUIRE(ask(budget, 8, t) == Verdict::granted);
    REQUIRE(budget.head().keys_in_use == 2);
}

TEST_CASE("a key is recycled only when full, unpaused and unreserved") {
    ScratchBudget budget = two_keys({per_account()});
    REQUIRE(ask(budget, 7, t) == Verdict::granted);
    REQUIRE(ask(budget, 8, t) == Verdict::granted);
    REQUIRE(ask(budget, 9, t + s) == Verdict::keys_full);
    SECTION("full again") {
        REQUIRE(ask(budget, 9, t + 1100 * ms - 1) == Verdict::keys_full);
        REQUIRE(ask(budget, 9, t + 1100 * ms) == Verdict::granted);
        // 7 lost its place and 8 keeps its own.
        REQUIRE(ask(budget, 7, t + 1100 * ms) == Verdict::granted);
        REQUIRE(ask(budget, 8, t + 1100 * ms) == Verdict::keys_full);
    }
    SECTION("not while paused") {
        for (const std::uint16_t key : {std::uint16_t{0}, std::uint16_t{1}}) {
            REQUIRE(
                pause(budget.state(), budget.rules(), PauseKind::cooldown, key, t + 60 * s, t + s));
        }
        REQUIRE(ask(budget, 9, t + 59 * s) == Verdict::keys_full);
        REQUIRE(ask(budget, 9, t + 60 * s) == Verdict::keys_full);  // starts empty there
        REQUIRE(ask(budget, 9, t + 60 * s + 1100 * ms) == Verdict::granted);
    }
    SECTION("not while reserved") {
        REQUIRE(budget.ask({{0, 1, 7}}, t + s, far).verdict == Verdict::reserved);
        REQUIRE(budget.ask({{0, 1, 8}}, t + s, far).verdict == Verdict::reserved);
        REQUIRE(ask(budget, 9, t + 1100 * ms) == Verdict::keys_full);
    }
}

TEST_CASE("a key whose fixed window still runs is not recycled") {
    ScratchBudget budget = two_keys({per_account(LimitKind::fixed)});
    REQUIRE(ask(budget, 7, t + s) == Verdict::granted);
    REQUIRE(ask(budget, 8, t + s) == Verdict::granted);
    REQUIRE(ask(budget, 9, t + 8 * s) == Verdict::keys_full);
    REQUIRE(ask(budget, 9, t + 11 * s) == Verdict::granted);
}

TEST_CASE("a request bound to a recycled cell finds its own key again") {
    ScratchBudget budget = two_keys({per_account()});
    Request seven = request_of({{0, 1, 7}});
    REQUIRE(budget.ask(seven, t).verdict == Verdict::granted);
    const std::uint16_t cell = seven.draws[0].cell;
    REQUIRE(ask(budget, 8, t) == Verdict::granted);
    REQUIRE(ask(budget, 9, t + 2 * s) == Verdict::granted);
    REQUIRE(ask(budget, 9, t + 2 * s) == Verdict::not_yet);
    REQUIRE(budget.ask(seven, t + 2 * s).verdict == Verdict::granted);
    REQUIRE(seven.draws[0].cell != cell);
}

TEST_CASE("a binding made in a decision that was thrown away never draws from another key") {
    ScratchBudget budget({per_account(), record_of(limit(LimitKind::rolling, 1, 10 * s, 1, s))});
    REQUIRE(budget.ask({{1, 1}}, t).verdict == Verdict::granted);
    // Refused for the second limit: the cell made for key 7 is not published.
    Request seven = request_of({{0, 1, 7}, {1, 1}});
    REQUIRE(budget.ask(seven, t).verdict == Verdict::not_yet);
    REQUIRE(budget.head().keys_in_use == 0);
    REQUIRE(ask(budget, 8, t) == Verdict::granted);
    const Answer granted = budget.ask(seven, t + 11 * s);
    REQUIRE(granted.verdict == Verdict::granted);
    REQUIRE(budget.head().keys_in_use == 2);
    const Cell& cell = budget.state().cells()[seven.draws[0].cell];
    REQUIRE(budget.state().keys()[cell.key].hash_low == 7);
}

TEST_CASE("two limits of one key share the key and not the cell") {
    ScratchBudget budget({per_account(), per_account(LimitKind::fixed)});
    REQUIRE(budget.ask({{0, 1, 7}, {1, 1, 7}}, t + s).verdict == Verdict::granted);
    REQUIRE(budget.head().keys_in_use == 1);
    REQUIRE(budget.head().cells_in_use == 4);
    REQUIRE(budget.ask({{1, 1, 7}}, t + s).verdict == Verdict::granted);
}

TEST_CASE("an unknown limit, no draw and too many draws are refused") {
    ScratchBudget budget({per_account()});
    REQUIRE(budget.ask({{3, 1}}, t).verdict == Verdict::unknown_limit);
    REQUIRE(budget.ask({}, t).verdict == Verdict::unknown_limit);
    Request many = request_of({{0, 1, 7}});
    many.count = max_charges + 1;
    REQUIRE(budget.ask(many, t).verdict == Verdict::unknown_limit);
}
