// SPDX-License-Identifier: Apache-2.0
//
// Pauses of the budget and of a key, and the halt.
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

constexpr Instant t = 1000 * s;

bool stop(ScratchBudget& budget, PauseKind kind, Instant until, Instant now,
          std::uint16_t key = none) {
    const bool grew = pause(budget.state(), budget.rules(), kind, key, until, now);
    budget.freshen(now);
    return grew;
}

/// First instant one unit of limit 0 would go.
Instant first(ScratchBudget& budget, Instant now) {
    const Answer answer = budget.ask({{0, 1}}, now);
    return answer.at;
}

LimitRecord rolling(std::uint64_t quota = 10, std::uint64_t burst = 3) {
    return record_of(limit(LimitKind::rolling, quota, 10 * s, burst, s));
}

LimitRecord keyed(LimitDefinition definition) {
    definition.per = "account";
    return record_of(definition);
}

}  // namespace

TEST_CASE("G3: a pause only grows, each kind by itself") {
    ScratchBudget budget({rolling()});
    struct Row {
        PauseKind kind;
        Instant until;
        Instant now;
        bool grew;
        Instant effective;
    };
    const auto cooldown = PauseKind::cooldown;
    const auto manual = PauseKind::manual;
    for (const Row& row :
         std::initializer_list<Row>{{cooldown, t + 30 * s, t, true, t + 30 * s},
                                    {cooldown, t + 30 * s, t, false, t + 30 * s},
                                    {cooldown, t + 30 * s - 1, t, false, t + 30 * s},
                                    {manual, t + 10 * s, t, true, t + 30 * s},
                                    {cooldown, t + 31 * s, t + s, true, t + 31 * s},
                                    {cooldown, t + 5 * s, t + 6 * s, false, t + 31 * s},
                                    {manual, 0, t + 6 * s, false, t + 31 * s},
                                    {manual, -s, t + 6 * s, false, t + 31 * s},
                                    {manual, INT64_MAX, t + 6 * s, true, far}}) {
        INFO(row.until << " at " << row.now);
        REQUIRE(stop(budget, row.kind, row.until, row.now) == row.grew);
        REQUIRE(paused_until(budget.head()) == row.effective);
    }
}

TEST_CASE("G2: from the moment a pause is set nobody gets a permit for an instant before its end") {
    ScratchBudget budget({rolling()});
    const Answer waits = budget.ask({{0, 3}}, t);
    REQUIRE(waits.verdict == Verdict::granted);
    const Answer reserved = budget.ask({{0, 1}}, t, t + 600 * s);
    REQUIRE(reserved.verdict == Verdict::reserved);
    const Answer due = budget.ask({{0, 1}}, t, t + 600 * s);
    // The short commit alone already stops confirmations and reservations.
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::cooldown, none, t + 60 * s,
                  reserved.at + 1));
    const Answer stopped =
        confirm(budget.state(), budget.rules(), reserved.id, 1, 1, reserved.at + 2);
    REQUIRE(stopped.verdict == Verdict::plan_stale);
    Request request = request_of({{0, 1}}, far);
    REQUIRE(reserve(budget.state(), budget.rules(), budget.workspace(), request, reserved.at + 2)
                .verdict == Verdict::plan_stale);
    budget.freshen(reserved.at + 3);
    for (const Entry& entry : budget.state().entries()) REQUIRE(entry.at >= t + 60 * s);
    REQUIRE(budget.entry(reserved.id)->at < budget.entry(due.id)->at);
    const Answer refused = budget.ask({{0, 1}}, t + 30 * s, t + 40 * s);
    REQUIRE(refused.verdict == Verdict::paused);
    REQUIRE(refused.until == t + 60 * s);
    REQUIRE(refused.at > t + 60 * s);
}

TEST_CASE("bucket kinds start empty at the end of a pause") {
    SECTION("rolling") {
        ScratchBudget budget({rolling()});
        stop(budget, PauseKind::cooldown, t + 60 * s, t);
        REQUIRE(first(budget, t) == t + 60 * s + 1375 * ms);
        REQUIRE(budget.take(t + 60 * s + 3 * 1375 * ms, 3));
    }
    SECTION("bucket") {
        ScratchBudget budget({record_of(limit(LimitKind::bucket, 10, s, 20))});
        stop(budget, PauseKind::cooldown, t + 60 * s, t);
        REQUIRE(first(budget, t) == t + 60 * s + 100 * ms);
    }
    SECTION("spacing") {
        ScratchBudget budget({record_of(limit(LimitKind::spacing, 1, s))});
        stop(budget, PauseKind::cooldown, t + 60 * s, t);
        REQUIRE(first(budget, t) == t + 60 * s + 1250 * ms);
    }
}

TEST_CASE("a fixed limit keeps its count and goes one by one until its next window") {
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 10, 60 * s, 10, s))});
    const Instant start = 1020 * s;  // 17 minutes
    REQUIRE(budget.take(start + 2 * s, 4));
    stop(budget, PauseKind::cooldown, start + 20 * s, start + 3 * s);
    REQUIRE(first(budget, start + 3 * s) == start + 20 * s);
    REQUIRE(budget.take(start + 20 * s));
    REQUIRE_FALSE(budget.take(start + 20 * s + 5800 * ms - 1));
    for (int i = 1; i < 6; ++i) REQUIRE(budget.take(start + 20 * s + i * 5800 * ms));
    REQUIRE(first(budget, start + 57 * s) == start + 61 * s);
    REQUIRE(budget.take(start + 61 * s, 10));
}

TEST_CASE("a fixed limit is paced for one minute at most") {
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 3600, 3600 * s, 100, s))});
    const Instant start = 3600 * s;
    stop(budget, PauseKind::cooldown, start + 20 * s, start + 3 * s);
    REQUIRE(budget.take(start + 79 * s, 2));
    REQUIRE_FALSE(budget.take(start + 80 * s - 1));
    REQUIRE(budget.take(start + 80 * s, 50));
    REQUIRE(budget.take(start + 80 * s, 50));
}

TEST_CASE("a key's pause stops only that key") {
    ScratchBudget budget({rolling(), keyed(limit(LimitKind::rolling, 10, 10 * s, 3, s))});
    REQUIRE(budget.ask({{1, 1, 7}}, t).verdict == Verdict::granted);
    REQUIRE(budget.ask({{1, 1, 8}}, t).verdict == Verdict::granted);
    REQUIRE(stop(budget, PauseKind::cooldown, t + 60 * s, t, 0));
    const Answer seven = budget.ask({{1, 1, 7}, {0, 1}}, t + s);
    REQUIRE(seven.verdict == Verdict::paused);
    REQUIRE(seven.until == t + 60 * s);
    REQUIRE(budget.ask({{1, 1, 8}, {0, 1}}, t + s).verdict == Verdict::granted);
    REQUIRE(budget.ask({{0, 1}}, t + s).verdict == Verdict::granted);
    REQUIRE(paused_until(budget.head()) == 0);
    REQUIRE_FALSE(stop(budget, PauseKind::cooldown, t + 59 * s, t + s, 0));
}

TEST_CASE("a key that is first used during a pause starts as empty as the others") {
    ScratchBudget budget({keyed(limit(LimitKind::rolling, 10, 10 * s, 3, s)),
                          keyed(limit(LimitKind::fixed, 10, 60 * s, 10, s))});
    stop(budget, PauseKind::cooldown, t + 60 * s, t);
    const Answer answer = budget.ask({{0, 1, 7}}, t + s, far);
    REQUIRE(answer.at == t + 60 * s + 1375 * ms);
    REQUIRE(budget.ask({{1, 1, 7}}, t + s, far).at == t + 60 * s);
    REQUIRE(budget.ask({{1, 1, 7}}, t + s, far).at == t + 60 * s + 5800 * ms);
}

TEST_CASE("resume ends a manual pause and leaves nothing closed until its old end") {
    ScratchBudget budget({rolling(), record_of(limit(LimitKind::fixed, 10, 60 * s, 10, s))});
    const Answer before = budget.ask({{0, 3}}, t - s);
    REQUIRE(before.verdict == Verdict::granted);
    stop(budget, PauseKind::manual, t + 3600 * s, t);
    const Answer waits = budget.ask({{0, 1}}, t, far);
    REQUIRE(waits.at == t + 3600 * s + 1375 * ms);
    REQUIRE(resume(budget.state(), budget.rules(), ResumeScope{}, t + 10 * s));
    budget.freshen(t + 10 * s);
    REQUIRE(paused_until(budget.head()) == 0);
    REQUIRE(budget.entry(waits.id)->at == t + 10 * s + 1375 * ms);
    REQUIRE(budget.ask({{1, 1}}, t + 10 * s).verdict != Verdict::paused);
    REQUIRE_FALSE(resume(budget.state(), budget.rules(), ResumeScope{}, t + 11 * s));
}

TEST_CASE("G3: resume does not touch a cooldown or a ban unless told so") {
    ScratchBudget budget({rolling()});
    stop(budget, PauseKind::cooldown, t + 60 * s, t);
    stop(budget, PauseKind::manual, t + 600 * s, t);
    REQUIRE(resume(budget.state(), budget.rules(), ResumeScope{}, t + s));
    budget.freshen(t + s);
    REQUIRE(paused_until(budget.head()) == t + 60 * s);
    REQUIRE(first(budget, t + s) == t + 60 * s + 1375 * ms);
    REQUIRE_FALSE(resume(budget.state(), budget.rules(), ResumeScope{}, t + s));
    ResumeScope all;
    all.cooldown = true;
    REQUIRE(resume(budget.state(), budget.rules(), all, t + 2 * s));
    budget.freshen(t + 2 * s);
    REQUIRE(first(budget, t + 2 * s) == t + 2 * s + 1375 * ms);
}

TEST_CASE("a pause resumed in the first seconds gives nothing before the cold start ends") {
    ScratchBudget::Options options;
    options.now = t;
    options.full = false;
    ScratchBudget budget({record_of(limit(LimitKind::bucket, 10, s, 20))}, options);
    const Instant cold = first(budget, t);
    REQUIRE(cold == t + 2 * s + 100 * ms);
    stop(budget, PauseKind::manual, t + 60 * s, t);
    REQUIRE(resume(budget.state(), budget.rules(), ResumeScope{}, t + ms));
    budget.freshen(t + ms);
    REQUIRE(first(budget, t + ms) == cold);
}

TEST_CASE("a second pause of any kind keeps the order of arrival") {
    ScratchBudget budget({rolling(10, 1)});
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 12; ++i) {
        Request request =
            request_of({{0, 1}}, far, Lane::normal, Intent::open, static_cast<std::uint16_t>(i));
        const Answer answer = budget.ask(request, t);
        if (answer.verdict == Verdict::reserved) ids.push_back(answer.id);
    }
    REQUIRE(ids.size() == 11);
    stop(budget, PauseKind::manual, t + 30 * s, t + ms);
    stop(budget, PauseKind::cooldown, t + 50 * s, t + 2 * ms);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        REQUIRE(budget.entry(ids[i])->at ==
                t + 50 * s + static_cast<std::int64_t>(i + 1) * 1100 * ms);
    }
}

TEST_CASE("a reservation that a pause pushes past its deadline leaves uncharged") {
    ScratchBudget budget({rolling(10, 1)});
    REQUIRE(budget.take(t));
    const Answer soon = budget.ask({{0, 1}}, t, t + 5 * s);
    const Answer later = budget.ask({{0, 1}}, t, t + 500 * s);
    REQUIRE(later.verdict == Verdict::reserved);
    stop(budget, PauseKind::cooldown, t + 60 * s, t + ms);
    REQUIRE(budget.confirm_at(soon.id, t + ms).verdict == Verdict::gone);
    REQUIRE(budget.entry(later.id)->at == t + 60 * s + 1100 * ms);
}

TEST_CASE("a halt refuses what opens, and reads and closes pass") {
    ScratchBudget budget({rolling(10, 1)});
    REQUIRE(budget.take(t));
    std::array<std::uint64_t, 3> ids{};
    for (const auto intent : {Intent::read, Intent::open, Intent::close}) {
        Request request = request_of({{0, 1}}, far, Lane::normal, intent);
        ids[static_cast<std::size_t>(intent)] = budget.ask(request, t).id;
    }
    halt(budget.state());
    REQUIRE(confirm(budget.state(), budget.rules(), ids[1], 1, 1, t + ms).verdict !=
            Verdict::granted);
    budget.freshen(t + ms);
    REQUIRE(budget.where(ids[1], t + ms).verdict == Verdict::gone);
    REQUIRE(budget.entry(ids[0])->at == t + 1100 * ms);
    REQUIRE(budget.entry(ids[2])->at == t + 2200 * ms);
    REQUIRE(budget.confirm_at(ids[0], t + 1100 * ms).verdict == Verdict::granted);
    REQUIRE(budget.confirm_at(ids[2], t + 2200 * ms).verdict == Verdict::granted);
    Request open = request_of({{0, 1}}, far);
    REQUIRE(budget.ask(open, t + 10 * s).verdict == Verdict::halted);
    Request close = request_of({{0, 1}}, 0, Lane::normal, Intent::close);
    REQUIRE(budget.ask(close, t + 10 * s).verdict == Verdict::granted);
    unhalt(budget.state());
    budget.freshen(t + 20 * s);
    REQUIRE(budget.ask(open, t + 20 * s).verdict == Verdict::granted);
}

TEST_CASE("a halt set between reservation and confirmation stops the permit") {
    ScratchBudget budget({rolling(10, 1)});
    REQUIRE(budget.take(t));
    const Answer waits = budget.ask({{0, 1}}, t, far);
    budget.head().flags |= flag_halted;  // as published, before anyone planned anew
    const Answer answer = budget.confirm_at(waits.id, waits.at);
    REQUIRE(answer.verdict == Verdict::halted);
    REQUIRE(budget.entry(waits.id) == nullptr);
}

TEST_CASE("reset clears every pause and key, and buckets start empty") {
    ScratchBudget budget({rolling(), keyed(limit(LimitKind::rolling, 10, 10 * s, 3, s))});
    REQUIRE(budget.ask({{1, 1, 7}}, t).verdict == Verdict::granted);
    stop(budget, PauseKind::cooldown, t + 60 * s, t);
    stop(budget, PauseKind::manual, t + 90 * s, t);
    stop(budget, PauseKind::cooldown, t + 90 * s, t, 0);
    const std::uint64_t generation = budget.head().pause_generation;
    reset(budget.state(), budget.rules(), t + s);
    budget.freshen(t + s);
    REQUIRE(budget.head().pause_generation == generation + 1);
    REQUIRE(first(budget, t + s) == t + s + 1375 * ms);
    REQUIRE(budget.ask({{1, 1, 7}}, t + s).at == t + s + 1375 * ms);
}

TEST_CASE("stops longer than ten seconds say that they must be saved") {
    ScratchBudget budget({rolling()});
    const std::uint64_t version = budget.head().stops_version;
    stop(budget, PauseKind::cooldown, t + 10 * s, t);
    REQUIRE(budget.head().stops_version == version);
    stop(budget, PauseKind::cooldown, t + 10 * s + 1, t);
    REQUIRE(budget.head().stops_version == version + 1);
    halt(budget.state());
    REQUIRE(budget.head().stops_version == version + 2);
}
