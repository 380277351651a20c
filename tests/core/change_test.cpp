// SPDX-License-Identifier: Apache-2.0
//
// Cold start, limits that change under load, new limits.
#include "core/reference_model.hpp"
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

constexpr Instant t = 1000 * s;

LimitRecord rolling(std::uint64_t quota, std::uint64_t burst, std::int64_t window = 10 * s) {
    return record_of(limit(LimitKind::rolling, quota, window, burst, s));
}
LimitRecord fixed(std::uint64_t quota, std::int64_t window = 60 * s) {
    return record_of(limit(LimitKind::fixed, quota, window, 1, s));
}

Instant first(ScratchBudget& budget, Instant now, std::uint32_t units = 1) {
    return budget.ask({{0, units}}, now).at;
}

ScratchBudget cold(const LimitRecord& record, std::uint64_t same_rules = 0, Instant now = t) {
    ScratchBudget::Options options;
    options.now = now;
    options.full = false;
    options.same_rules = same_rules;
    return ScratchBudget({record}, options);
}

}  // namespace

TEST_CASE("G1: a new segment gives nothing that could meet units drawn before it") {
    const Instant g = t + 2 * s;
    SECTION("bucket: empty at g") {
        ScratchBudget budget = cold(record_of(limit(LimitKind::bucket, 10, s, 20)));
        REQUIRE(first(budget, t) == g + 100 * ms);
        REQUIRE(opens_at(budget.state(), budget.rules(), 0) == g + 100 * ms);
        REQUIRE_FALSE(budget.take(g + 1700 * ms - 1, 17));
        REQUIRE(budget.take(g + 1700 * ms, 17));
    }
    SECTION("rolling with an unknown past: nothing before g + window + slack") {
        ScratchBudget budget = cold(rolling(10, 3));
        REQUIRE(first(budget, t) == g + 11 * s);
        REQUIRE(opens_at(budget.state(), budget.rules(), 0) == g + 11 * s);
        REQUIRE(budget.take(g + 11 * s, 3));
    }
    SECTION("rolling with the same saved definition: empty at g") {
        ScratchBudget budget = cold(rolling(10, 3), 1);
        REQUIRE(first(budget, t) == g + 1375 * ms);
    }
    SECTION("fixed: the windows that run at creation and at g are spent") {
        ScratchBudget inside = cold(fixed(10));  // the window runs from 960 s to 1020 s
        REQUIRE(first(inside, t) == 1021 * s);
        REQUIRE(opens_at(inside.state(), inside.rules(), 0) == 1020 * s);
        ScratchBudget across = cold(fixed(10), 0, 1019 * s);
        REQUIRE(first(across, 1019 * s) == 1081 * s);
    }
    SECTION("windows longer than ten minutes start unverified") {
        ScratchBudget budget = cold(fixed(10, 86400 * s));
        REQUIRE(budget.take(t, 10));
    }
    SECTION("full: the operator's word") {
        ScratchBudget budget({rolling(10, 3)});
        REQUIRE(budget.take(0, 3));
    }
}

TEST_CASE("a stricter rule takes over at once with the units already drawn") {
    ScratchBudget budget({rolling(10, 3)});
    REQUIRE(budget.take(t, 3));
    // T grows from 1.375 s to 11 s / 4 = 2.75 s; three units are owed.
    REQUIRE(budget.change(0, rolling(6, 3), t) == Change::stricter);
    REQUIRE(first(budget, t) == t + 2750 * ms);
    REQUIRE(budget.state().cells()[0].previous == none);

    ScratchBudget window({fixed(10)});
    REQUIRE(window.take(t, 6));
    REQUIRE(window.change(0, fixed(7), t) == Change::stricter);
    REQUIRE(window.take(t));
    REQUIRE_FALSE(window.take(t));
}

TEST_CASE("a stricter rule does not make a pause longer") {
    ScratchBudget budget({rolling(10, 3)});
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::manual, none, t + 3600 * s, t));
    budget.freshen(t);
    REQUIRE(budget.change(0, rolling(6, 3), t + s) == Change::stricter);
    REQUIRE(first(budget, t + s) == t + 3600 * s + 2750 * ms);
}

TEST_CASE("any other change starts beside its predecessor, and both must fit until it ends") {
    ScratchBudget budget({rolling(10, 3)});
    REQUIRE(budget.take(t, 3));
    REQUIRE(budget.change(0, rolling(100, 20), t) == Change::beside);
    // The old rule still owes three units, the new one starts empty.
    REQUIRE(first(budget, t) == t + 1375 * ms);
    // Four units never fit the old rule: they wait until it ends.
    REQUIRE(first(budget, t, 4) == t + 11 * s);
    REQUIRE(first(budget, t + s, 20) == t + 11 * s);
    REQUIRE(budget.take(t + 11 * s, 20));
    REQUIRE(budget.state().cells()[0].previous == none);
}

TEST_CASE("those who wait under the old rule are planned for its end at once") {
    ScratchBudget budget({rolling(10, 1)});
    REQUIRE(budget.take(t));
    std::vector<std::uint64_t> ids;
    for (std::uint16_t i = 0; i < 20; ++i) {
        Request request = request_of({{0, 1}}, far, Lane::normal, Intent::open, i);
        ids.push_back(budget.ask(request, t).id);
    }
    REQUIRE(budget.entry(ids.back())->at == t + 22 * s);
    REQUIRE(budget.change(0, rolling(100, 20), t) == Change::beside);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto n = static_cast<std::int64_t>(i + 1);
        REQUIRE(budget.entry(ids[i])->at == t + std::min(n * 1100 * ms, 11 * s));
    }
}

TEST_CASE("a second loosening in that time is refused with the instant it may be made") {
    ScratchBudget budget({rolling(10, 3)});
    REQUIRE(budget.change(0, rolling(20, 3), t) == Change::beside);
    Instant until = 0;
    const Rule more = compile(rolling(40, 3));
    REQUIRE(classify(budget.state(), budget.rules(), 0, more, t + 5 * s, until) == Change::refused);
    REQUIRE(until == t + 11 * s);
    REQUIRE(classify(budget.state(), budget.rules(), 0, more, until, until) == Change::beside);
    // A tightening is never refused.
    REQUIRE(budget.change(0, rolling(5, 3), t + 6 * s) == Change::stricter);
}

TEST_CASE("the longer of the two windows decides how long both count") {
    ScratchBudget budget({rolling(10, 1)});
    REQUIRE(budget.change(0, rolling(10, 1, 100 * s), t) == Change::beside);
    const Cell& cell = budget.state().cells()[0];
    REQUIRE(budget.state().cells()[cell.previous].expires_at == t + 101 * s);
}

TEST_CASE("a fixed limit that changes its quota goes on counting the same window") {
    ScratchBudget budget({fixed(10)});
    REQUIRE(budget.take(t, 8));
    REQUIRE(budget.change(0, fixed(20), t) == Change::beside);
    REQUIRE(budget.take(t, 2));
    REQUIRE_FALSE(budget.take(t));
    REQUIRE(budget.take(1021 * s, 10));
    REQUIRE_FALSE(budget.take(1021 * s));
    REQUIRE(budget.take(t + 61 * s, 10));  // the predecessor has ended
}

TEST_CASE("a fixed limit with another window opens with its next one") {
    ScratchBudget budget({fixed(10)});
    REQUIRE(budget.change(0, fixed(10, 30 * s), t) == Change::beside);
    REQUIRE(first(budget, t) == 1021 * s);
}

TEST_CASE("G1: a limit that changes again and again is never over what both rules allow") {
    // Only windows that lie wholly under one pair of rules are held against both.
    const auto rules = {rolling(10, 1), rolling(20, 5), rolling(20, 10), rolling(30, 2)};
    ScratchBudget budget({*rules.begin()});
    Instant now = t;
    for (const LimitRecord& record : rules) {
        const LimitRecord old = budget.records()[0];
        static_cast<void>(budget.change(0, record, now));
        std::vector<Drawn> drawn;
        for (const Instant end = now + 11 * s; now < end; now += 50 * ms) {
            const Answer answer = budget.ask({{0, 1}}, now);
            if (answer.verdict == Verdict::granted) drawn.push_back({now, answer.valid_until, 1});
        }
        REQUIRE_FALSE(broken(old, drawn, 0));
        REQUIRE_FALSE(broken(record, drawn, 0));
    }
}

TEST_CASE("keys change with their limit") {
    LimitDefinition d = limit(LimitKind::rolling, 10, 10 * s, 1, s);
    d.per = "account";
    ScratchBudget budget({record_of(d)});
    REQUIRE(budget.ask({{0, 1, 7}}, t).verdict == Verdict::granted);
    d.quota = 100;
    d.burst = 10;
    REQUIRE(budget.change(0, record_of(d), t) == Change::beside);
    REQUIRE(budget.ask({{0, 1, 7}}, t).at == t + 1100 * ms);
    REQUIRE(budget.ask({{0, 10, 7}}, t).at == t + 11 * s);
}

TEST_CASE("a limit added to a running budget starts empty and moves no key") {
    LimitDefinition d = limit(LimitKind::rolling, 10, 10 * s, 1, s);
    d.per = "account";
    ScratchBudget budget({record_of(d)});
    Request seven = request_of({{0, 1, 7}}, far);
    REQUIRE(budget.ask(seven, t).verdict == Verdict::granted);
    const Answer waits = budget.ask(seven, t);
    REQUIRE(waits.verdict == Verdict::reserved);
    // The key's cell stands where the new limit's must: it moves.
    REQUIRE(seven.draws[0].cell == 1);
    budget.add(rolling(10, 3), t + s);
    REQUIRE(valid(budget.state()));
    REQUIRE(budget.ask({{1, 1}}, t + s).at == t + s + 1375 * ms);
    REQUIRE(budget.entry(waits.id)->at == t + 1100 * ms);
    REQUIRE(budget.confirm_at(waits.id, waits.at).verdict == Verdict::granted);
    REQUIRE(budget.ask(seven, waits.at).at == t + 2200 * ms);
    REQUIRE(seven.draws[0].cell == 2);
}

TEST_CASE("G1: a predecessor without lanes counts what both lanes of its successor draw") {
    ScratchBudget budget({rolling(10, 3)});
    LimitDefinition d = limit(LimitKind::rolling, 100, 10 * s, 20, s);
    d.reserve_percent = 50;
    REQUIRE(budget.change(0, record_of(d), t) == Change::beside);
    const Instant now = t + 5 * s;
    REQUIRE(budget.ask({{0, 2}}, now).verdict == Verdict::granted);
    const Answer waits = budget.ask({{0, 2}}, now, far);
    REQUIRE(waits.at == now + 1375 * ms);
    // Its own lane is full, but the old rule owes four units already.
    Request critical = request_of({{0, 1}}, far, Lane::critical);
    const Answer answer = budget.ask(critical, now);
    REQUIRE(answer.critical_mask == 1);
    REQUIRE(answer.at == now + 2 * 1375 * ms);
}

TEST_CASE("a pace that would last longer than its predecessor ends with it") {
    ScratchBudget budget({fixed(10)});
    const Instant pause_end = 1100 * s;
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::cooldown, none, pause_end, t));
    budget.freshen(t);
    // The old rule is paced until 1140 s and ends at 1061 s + the pause; the new one is a bucket.
    const Instant changed = 1050 * s;
    REQUIRE(budget.change(0, rolling(600, 300), changed) == Change::beside);
    const Answer first = budget.ask({{0, 5}}, changed, far);
    const Answer second = budget.ask({{0, 1}}, changed, far);
    REQUIRE(first.at == pause_end + compile(rolling(600, 300)).lane[0].bucket.time(5));
    REQUIRE(second.at == changed + 61 * s);
}
