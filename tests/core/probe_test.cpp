// SPDX-License-Identifier: Apache-2.0
//
// After a ban one request goes alone, and only its own success opens the budget.
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

constexpr Instant t = 1000 * s;
constexpr Instant end = t + 100 * s;

void ban(ScratchBudget& budget, Instant until, Instant now) {
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::ban, none, until, now));
    budget.freshen(now);
}

/// 10 ms a unit: the pace does not decide anything here.
ScratchBudget fast() {
    return ScratchBudget({record_of(limit(LimitKind::bucket, 100, s, 200))});
}

std::uint64_t wait(ScratchBudget& budget, Instant now, Intent intent, std::uint16_t slot = 1,
                   Instant deadline = far) {
    Request request = request_of({{0, 1}}, deadline, Lane::normal, intent, slot);
    return budget.ask(request, now).id;
}

void reply(ScratchBudget& budget, std::uint64_t id, Outcome outcome, Instant now) {
    probe_reply(budget.state(), id, outcome, now);
    budget.freshen(now);
}

bool is_open(const ScratchBudget& budget) {
    return !budget.state().has(flag_probe_required);
}

}  // namespace

TEST_CASE("the first read in line probes, else the first close, else the first request") {
    struct Row {
        std::vector<Intent> line;
        std::size_t probe;
    };
    const auto open = Intent::open;
    const auto read = Intent::read;
    const auto close = Intent::close;
    for (const Row& row : std::initializer_list<Row>{{{open, close, read, read}, 2},
                                                     {{open, close, close}, 1},
                                                     {{open, open}, 0},
                                                     {{read, open}, 0}}) {
        ScratchBudget budget = fast();
        ban(budget, t + s, t);
        std::vector<std::uint64_t> ids;
        for (std::size_t i = 0; i < row.line.size(); ++i) {
            ids.push_back(wait(budget, t, row.line[i], static_cast<std::uint16_t>(i)));
        }
        ban(budget, end, t + ms);
        REQUIRE(budget.head().probe_id == ids[row.probe]);
        REQUIRE(budget.entry(ids[row.probe])->at == end + 10 * ms);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (i != row.probe) REQUIRE(budget.entry(ids[i])->at >= end + 10 * s);
        }
    }
}

TEST_CASE("with an empty calendar the next request probes and the others are planned behind it") {
    ScratchBudget budget = fast();
    ban(budget, end, t);
    const Answer first = budget.ask({{0, 1}}, end + s);
    REQUIRE(first.verdict == Verdict::granted);
    REQUIRE(budget.head().probe_id == first.id);
    const Answer second = budget.ask({{0, 1}}, end + s, end + 5 * s);
    REQUIRE(second.verdict == Verdict::paused);
    REQUIRE(second.until == end + 11 * s);
    REQUIRE(second.at == end + 11 * s);
}

TEST_CASE("G3: only a reply to the probe itself opens, and only ok, rejected or auth") {
    struct Row {
        Outcome outcome;
        bool opens;
    };
    for (const Row& row : std::initializer_list<Row>{{Outcome::ok, true},
                                                     {Outcome::rejected, true},
                                                     {Outcome::auth, true},
                                                     {Outcome::failed, false},
                                                     {Outcome::limited, false}}) {
        ScratchBudget budget = fast();
        const Answer before = budget.ask({{0, 1}}, t);
        ban(budget, end, t);
        const Answer probe = budget.ask({{0, 1}}, end + s);
        reply(budget, before.id, Outcome::ok, end + s);
        reply(budget, probe.id + 1, Outcome::ok, end + s);
        reply(budget, 0, Outcome::ok, end + s);
        REQUIRE_FALSE(is_open(budget));
        reply(budget, probe.id, row.outcome, end + 2 * s);
        REQUIRE(is_open(budget) == row.opens);
        if (row.opens) {
            REQUIRE(budget.take(end + 2 * s));
            REQUIRE(budget.take(end + 2 * s));
            REQUIRE(budget.head().strikes == 0);
        } else {
            REQUIRE(budget.ask({{0, 1}}, end + 2 * s).until == end + 11 * s);
        }
    }
}

TEST_CASE("success moves those who waited behind the probe up") {
    ScratchBudget budget = fast();
    ban(budget, end, t);
    const std::uint64_t probe = wait(budget, t, Intent::read);
    const std::uint64_t other = wait(budget, t, Intent::open, 2);
    REQUIRE(budget.entry(other)->at == end + 10 * ms + 10 * s);
    REQUIRE(budget.confirm_at(probe, end + 10 * ms).verdict == Verdict::granted);
    REQUIRE(budget.confirm_at(other, end + 20 * ms, 2).verdict == Verdict::reserved);
    reply(budget, probe, Outcome::ok, end + 60 * ms);
    REQUIRE(budget.entry(other)->at == end + 60 * ms);
}

TEST_CASE("a probe without success is followed by the next at its end, later each time") {
    ScratchBudget budget = fast();
    ban(budget, end, t);
    Instant at = end + s;
    for (const std::int64_t timeout : {10, 20, 40, 60, 60}) {
        const Answer probe = budget.ask({{0, 1}}, at);
        INFO(timeout);
        REQUIRE(probe.verdict == Verdict::granted);
        // Half of them answer, half never do.
        if (timeout != 20) reply(budget, probe.id, Outcome::failed, at + s);
        REQUIRE(budget.ask({{0, 1}}, at + timeout * s - 1).verdict == Verdict::paused);
        at += timeout * s;
    }
    const Answer probe = budget.ask({{0, 1}}, at);
    reply(budget, probe.id, Outcome::ok, at + ms);
    REQUIRE(is_open(budget));
    // The next ban starts from the first timeout again.
    ban(budget, at + 100 * s, at + s);
    const Answer next = budget.ask({{0, 1}}, at + 101 * s);
    REQUIRE(next.verdict == Verdict::granted);
    REQUIRE(budget.ask({{0, 1}}, at + 102 * s).until == at + 111 * s);
}

TEST_CASE("another takes the place of a probe that left the calendar unsent") {
    for (const int how : {0, 1, 2}) {
        ScratchBudget budget = fast();
        ban(budget, end, t);
        const std::uint64_t probe = wait(budget, t, Intent::read, 1);
        const std::uint64_t other = wait(budget, t, Intent::read, 2);
        REQUIRE(budget.head().probe_id == probe);
        Instant now = t + s;
        INFO(how);
        if (how == 0) REQUIRE(budget.cancel_at(probe, now));
        if (how == 1) REQUIRE(lapse_slot(budget.state(), 1, 1) == 1);
        if (how == 2) now = end + s;  // never confirmed
        if (how == 2) static_cast<void>(budget.ask({{0, 1}}, now));
        budget.freshen(now);
        REQUIRE(budget.head().probe_id == other);
        REQUIRE(budget.entry(other)->at <= std::max(end, now) + 20 * ms);
    }
}

TEST_CASE("a dead holder's probe that may have been sent keeps the others behind its end") {
    ScratchBudget budget = fast();
    ban(budget, end, t);
    const std::uint64_t probe = wait(budget, t, Intent::read, 1);
    const std::uint64_t other = wait(budget, t, Intent::read, 2);
    REQUIRE(budget.confirm_at(probe, end + 10 * ms).verdict == Verdict::granted);
    static_cast<void>(lapse_slot(budget.state(), 1, 1));
    budget.freshen(end + s);
    REQUIRE(budget.entry(other)->at == end + 10 * ms + 10 * s);
    REQUIRE(budget.confirm_at(other, end + 10 * ms + 10 * s, 2).verdict == Verdict::granted);
    REQUIRE(budget.head().probe_id == other);
}

TEST_CASE("a probe of a ban that was replaced opens nothing") {
    ScratchBudget budget = fast();
    ban(budget, end, t);
    const Answer probe = budget.ask({{0, 1}}, end + s);
    ban(budget, end + 200 * s, end + 2 * s);
    reply(budget, probe.id, Outcome::ok, end + 3 * s);
    REQUIRE_FALSE(is_open(budget));
    REQUIRE(budget.ask({{0, 1}}, end + 100 * s).until == end + 200 * s);
    REQUIRE(budget.ask({{0, 1}}, end + 201 * s).verdict == Verdict::granted);
    REQUIRE(budget.head().strikes == 2);
}

TEST_CASE("a probe that meets a cooldown waits for its end and is followed by a probe") {
    ScratchBudget budget = fast();
    ban(budget, end, t);
    const Answer probe = budget.ask({{0, 1}}, end + s);
    static_cast<void>(pause(budget.state(), budget.rules(), PauseKind::cooldown, none, end + 50 * s,
                            end + 2 * s));
    reply(budget, probe.id, Outcome::limited, end + 2 * s);
    REQUIRE_FALSE(is_open(budget));
    REQUIRE(budget.ask({{0, 1}}, end + 49 * s).verdict == Verdict::paused);
    const Answer next = budget.ask({{0, 1}}, end + 50 * s + 10 * ms);
    REQUIRE(next.verdict == Verdict::granted);
    REQUIRE(budget.head().probe_id == next.id);
    REQUIRE(budget.ask({{0, 1}}, end + 51 * s).verdict == Verdict::paused);
}

TEST_CASE("a probe whose deadline passed makes room for one that can still go") {
    ScratchBudget budget = fast();
    ban(budget, t + s, t);
    const std::uint64_t first = wait(budget, t, Intent::read, 1, t + 20 * s);
    const std::uint64_t second = wait(budget, t, Intent::open, 2);
    ban(budget, end, t + ms);
    REQUIRE(budget.where(first, t + ms).verdict == Verdict::gone);
    REQUIRE(budget.head().probe_id == second);
    REQUIRE(budget.entry(second)->at == end + 10 * ms);
}

TEST_CASE("resume of a ban by the operator's word still lets one probe go first") {
    ScratchBudget budget = fast();
    ban(budget, end, t);
    ResumeScope scope;
    scope.ban = true;
    REQUIRE(resume(budget.state(), budget.rules(), scope, t + s));
    budget.freshen(t + s);
    const Answer probe = budget.ask({{0, 1}}, t + 2 * s);
    REQUIRE(probe.verdict == Verdict::granted);
    REQUIRE(budget.ask({{0, 1}}, t + 2 * s).verdict == Verdict::paused);
    reply(budget, probe.id, Outcome::ok, t + 3 * s);
    REQUIRE(is_open(budget));
}

TEST_CASE("after a reset during a ban one probe goes first, from an empty bucket") {
    ScratchBudget budget = fast();
    ban(budget, end, t);
    reset(budget.state(), budget.rules(), t + s);
    budget.freshen(t + s);
    const Answer probe = budget.ask({{0, 1}}, t + s, far);
    REQUIRE(probe.at == t + s + 10 * ms);
    REQUIRE(budget.head().probe_id == probe.id);
    REQUIRE(budget.ask({{0, 1}}, t + s, far).at >= t + 11 * s);
    REQUIRE(budget.confirm_at(probe.id, probe.at).verdict == Verdict::granted);
    reply(budget, probe.id, Outcome::rejected, t + 2 * s);
    REQUIRE(is_open(budget));
}
