// SPDX-License-Identifier: Apache-2.0
//
// One limit of each kind on a hand-turned clock: rows of instant, cost, answer.
#include "core/reference_model.hpp"
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

struct Row {
    Instant at;
    std::uint32_t cost;
    Verdict verdict;
    Instant expected;  ///< granted: at; not_yet: when to come back
};

void play(ScratchBudget& budget, std::initializer_list<Row> rows) {
    std::size_t number = 0;
    for (const Row& row : rows) {
        INFO("row " << ++number << " at " << row.at << " cost " << row.cost);
        const Answer answer = budget.ask({{0, row.cost}}, row.at);
        REQUIRE(static_cast<int>(answer.verdict) == static_cast<int>(row.verdict));
        if (row.verdict != Verdict::too_large) REQUIRE(answer.at == row.expected);
    }
}

constexpr auto ok = Verdict::granted;
constexpr auto no = Verdict::not_yet;
constexpr auto never = Verdict::too_large;

}  // namespace

TEST_CASE("a bucket grants its burst less the slack, then one unit each window/quota") {
    // 10 a second, 20 at once, slack 250 ms: T = 100 ms, tolerance 2 s - 250 ms = 17.5 units.
    ScratchBudget budget({record_of(limit(LimitKind::bucket, 10, s, 20))});
    const Instant t = 5 * s;
    play(budget, {{t, 18, never, 0},
                  {t, 17, ok, t},
                  {t, 1, no, t + 50 * ms},
                  {t + 50 * ms - 1, 1, no, t + 50 * ms},
                  {t + 50 * ms, 1, ok, t + 50 * ms},
                  {t + 50 * ms, 1, no, t + 150 * ms},
                  {t + 3 * s, 17, ok, t + 3 * s}});
}

TEST_CASE("a rolling limit grants burst units at once and the rest at its pace") {
    // 10 in any 10 s, 3 at once, slack 1 s: T = 11 s / 8 = 1.375 s, tolerance 4.125 s.
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 10, 10 * s, 3, s))});
    const Instant t = 100 * s;
    const std::int64_t unit = 1375 * ms;
    play(budget, {{t, 4, never, 0},
                  {t, 3, ok, t},
                  {t, 1, no, t + unit},
                  {t + unit - 1, 1, no, t + unit},
                  {t + unit, 1, ok, t + unit},
                  {t + unit, 3, no, t + 4 * unit},
                  {t + 4 * unit, 3, ok, t + 4 * unit}});
}

TEST_CASE("a spacing limit keeps window and slack between two requests") {
    ScratchBudget budget({record_of(limit(LimitKind::spacing, 1, s, 0, 100 * ms))});
    const Instant t = 50 * s;
    play(budget, {{t, 2, never, 0},
                  {t, 1, ok, t},
                  {t, 1, no, t + 1100 * ms},
                  {t + 1100 * ms - 1, 1, no, t + 1100 * ms},
                  {t + 1100 * ms, 1, ok, t + 1100 * ms}});
}

TEST_CASE("a fixed limit grants its quota between slack after the start and slack before the end") {
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 5, 10 * s, 0, s))});
    const Instant t = 100 * s;
    play(budget, {{t, 1, no, t + s},
                  {t + s - 1, 1, no, t + s},
                  {t + s, 6, never, 0},
                  {t + s, 3, ok, t + s},
                  {t + s, 3, no, t + 11 * s},
                  {t + 9 * s - 1, 2, ok, t + 9 * s - 1},
                  {t + 9 * s - 1, 1, no, t + 11 * s},
                  {t + 9 * s, 1, no, t + 11 * s},
                  {t + 11 * s, 5, ok, t + 11 * s}});
}

TEST_CASE(
    "a spread fixed limit is paced inside its window and delays what is larger than its burst") {
    LimitDefinition d = limit(LimitKind::fixed, 8, 10 * s, 2, s);
    d.spread = true;
    ScratchBudget budget({record_of(d)});
    const Instant t = 101 * s;  // T = 8 s / 8
    play(budget, {{t, 2, ok, t},
                  {t, 1, no, t + s},
                  {t + s, 1, ok, t + s},
                  {t + s, 4, no, t + 3 * s},
                  {t + 3 * s, 4, ok, t + 3 * s},
                  {t + 3 * s, 1, no, t + 6 * s},
                  {t + 6 * s, 1, ok, t + 6 * s},
                  {t + 6 * s, 1, no, t + 10 * s}});
}

TEST_CASE("a clock that steps back changes nothing") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 2, s, 1))});
    REQUIRE(budget.take(10 * s));
    for (const Instant back : {10 * s - 1, 10 * s - 200, 9 * s, Instant{0}, -5 * s}) {
        INFO(back);
        REQUIRE_FALSE(budget.take(back));
    }
    REQUIRE_FALSE(budget.take(10 * s + 624 * ms));
    REQUIRE(budget.take(10 * s + 625 * ms));
}

TEST_CASE("no time since the last request fills a bucket above its burst") {
    ScratchBudget budget({record_of(limit(LimitKind::bucket, 10, s, 20))});
    for (const Instant idle : {3600 * s, 24 * 3600 * s, 7 * 24 * 3600 * s, year_ns}) {
        const Instant t = budget.head().last_instant + idle;
        REQUIRE(budget.take(t, 17));
        REQUIRE_FALSE(budget.take(t));
    }
}

TEST_CASE("a window of a year counts to the nanosecond") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 3, year_ns, 1, 5 * ms))});
    const std::int64_t unit = (year_ns + 5 * ms + 2) / 3;
    play(budget, {{s, 1, ok, s},
                  {s, 1, no, s + unit},
                  {s + unit - 1, 1, no, s + unit},
                  {s + unit, 1, ok, s + unit}});
}

TEST_CASE("instants near the end of time are refused, never wrapped") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 1, year_ns, 1)),
                          record_of(limit(LimitKind::fixed, 1, year_ns, 1))});
    for (const Instant late : {far / 4, far / 2, far, INT64_MAX}) {
        const Answer answer = budget.ask({{0, 1}, {1, 1}}, late, INT64_MAX);
        INFO(late);
        REQUIRE((answer.verdict == ok || answer.verdict == Verdict::reserved ||
                 answer.verdict == Verdict::calendar_full));
        REQUIRE(answer.at >= 0);
        REQUIRE(valid(budget.state()));
    }
}

TEST_CASE("splitting a cost changes nothing but the rounding") {
    for (const auto kind : {LimitKind::bucket, LimitKind::rolling, LimitKind::fixed}) {
        ScratchBudget whole({record_of(limit(kind, 997, 7 * s, 100, 50 * ms))});
        ScratchBudget parts({record_of(limit(kind, 997, 7 * s, 100, 50 * ms))});
        const Instant t = 21 * s + 60 * ms;
        REQUIRE(whole.take(t, 60));
        for (const std::uint32_t part : {1u, 7u, 13u, 39u}) REQUIRE(parts.take(t, part));
        const LaneState& a = whole.state().cells()[0].lane[0];
        const LaneState& b = parts.state().cells()[0].lane[0];
        REQUIRE(a.used == b.used);
        REQUIRE(b.full_at >= a.full_at);
        REQUIRE(b.full_at <= a.full_at + 3);
    }
}

TEST_CASE("several limits are drawn from together or not at all") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 10, s, 5)),
                          record_of(limit(LimitKind::rolling, 2, s, 1))});
    const Instant t = 10 * s;
    REQUIRE(budget.ask({{0, 2}, {1, 1}}, t).verdict == ok);
    const Instant full_at = budget.state().cells()[0].lane[0].full_at;
    const Answer refused = budget.ask({{0, 2}, {1, 1}}, t);
    REQUIRE(refused.verdict == no);
    REQUIRE(refused.at == t + 625 * ms);
    REQUIRE(budget.state().cells()[0].lane[0].full_at == full_at);
    REQUIRE(budget.ask({{0, 2}}, t).verdict == ok);
}

TEST_CASE("one limit's queue does not hold up another limit") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 10, s, 5)),
                          record_of(limit(LimitKind::rolling, 1, 10 * s, 1))});
    const Instant t = 10 * s;
    REQUIRE(budget.ask({{1, 1}}, t).verdict == ok);
    const Answer waits = budget.ask({{0, 5}, {1, 1}}, t, t + 60 * s);
    REQUIRE(waits.verdict == Verdict::reserved);
    REQUIRE(waits.at == t + 10250 * ms);
    REQUIRE(budget.ask({{0, 5}}, t).verdict == ok);
    REQUIRE(budget.ask({{0, 5}}, t + 9 * s).verdict == ok);
    // From here on the burst belongs to the one that waits.
    const Answer behind = budget.ask({{0, 5}}, t + 9500 * ms);
    REQUIRE(behind.verdict == no);
    REQUIRE(behind.at > waits.at);
}

TEST_CASE("the critical lane keeps units that normal requests never touch") {
    LimitDefinition d = limit(LimitKind::fixed, 10, 10 * s, 0, s);
    d.reserve_percent = 20;
    ScratchBudget budget({record_of(d)});
    const Instant t = 101 * s;
    REQUIRE(budget.take(t, 8));
    REQUIRE_FALSE(budget.take(t));
    Request critical = request_of({{0, 1}}, 0, Lane::critical);
    const Answer first = budget.ask(critical, t);
    REQUIRE(first.verdict == ok);
    REQUIRE(first.critical_mask == 1);
    REQUIRE(budget.ask(critical, t).verdict == ok);
    REQUIRE(budget.ask(critical, t).verdict == no);
    REQUIRE_FALSE(budget.take(t));
}

TEST_CASE("a critical request takes the normal lane where its own has no room") {
    LimitDefinition d = limit(LimitKind::fixed, 10, 10 * s, 0, s);
    d.reserve_percent = 10;
    ScratchBudget budget({record_of(d)});
    Request critical = request_of({{0, 1}}, 0, Lane::critical);
    for (int i = 0; i < 10; ++i) {
        const Answer answer = budget.ask(critical, 101 * s);
        REQUIRE(answer.verdict == ok);
        REQUIRE(answer.critical_mask == (i == 0 ? 1 : 0));
    }
    REQUIRE(budget.ask(critical, 101 * s).verdict == no);
}

TEST_CASE("lanes never sum to more than the limit") {
    for (const auto kind : {LimitKind::bucket, LimitKind::rolling, LimitKind::fixed}) {
        for (const std::uint32_t percent : {1u, 5u, 33u, 50u, 90u}) {
            LimitDefinition d = limit(kind, 60, 60 * s, kind == LimitKind::bucket ? 600 : 20);
            d.reserve_percent = percent;
            const LimitRecord record = record_of(d);
            ScratchBudget budget({record});
            std::vector<Drawn> drawn;
            for (Instant t = 3600 * s; t < 3730 * s; t += 700 * ms) {
                for (const auto lane : {Lane::critical, Lane::normal}) {
                    Request request = request_of({{0, 1}}, 0, lane);
                    const Answer answer = budget.ask(request, t);
                    if (answer.verdict == ok) drawn.push_back({t, answer.valid_until, 1});
                }
            }
            INFO(static_cast<int>(kind) << " " << percent);
            REQUIRE(drawn.size() > 60);
            REQUIRE_FALSE(broken(record, drawn, 0));
        }
    }
}

TEST_CASE("a permit says until when it may be handed out and must have arrived") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 10, s, 5, 100 * ms)),
                          record_of(limit(LimitKind::fixed, 10, 10 * s, 5, 40 * ms))});
    const Answer early = budget.ask({{0, 1}, {1, 1}}, 103 * s);
    REQUIRE(early.hand_out_until == 103 * s + 50 * ms);
    REQUIRE(early.valid_until == 103 * s + 100 * ms);
    const Answer late = budget.ask({{0, 1}, {1, 1}}, 110 * s - 41 * ms);
    REQUIRE(late.hand_out_until == 110 * s - 40 * ms);
    REQUIRE(late.valid_until == 110 * s - 20 * ms);
}

TEST_CASE("shadow counts and never holds anyone up") {
    ScratchBudget::Options options;
    options.shadow = true;
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 2, 60 * s, 1)),
                          record_of(limit(LimitKind::fixed, 2, 60 * s, 1))},
                         options);
    for (int i = 0; i < 100; ++i) {
        const Answer answer = budget.ask({{0, 1}, {1, 1}}, 90 * s + i * ms);
        REQUIRE(answer.verdict == ok);
        REQUIRE(answer.at == 90 * s + i * ms);
    }
    REQUIRE(budget.head().shadow_overruns == 98 + 1);
    // What it would owe is bounded by an empty bucket.
    REQUIRE(budget.state().cells()[0].lane[0].full_at <= 90 * s + 99 * ms + 61 * s);
    REQUIRE(budget.state().cells()[1].lane[0].used == 2);
    static_cast<void>(pause(budget.state(), budget.rules(), PauseKind::ban, none, 900 * s, 91 * s));
    REQUIRE(budget.take(92 * s));
}
