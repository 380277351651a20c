// SPDX-License-Identifier: Apache-2.0
//
// Public cases of the bucket layer that need neither a venue nor a second process: one limit.
#include "core/reference_model.hpp"
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

constexpr std::int64_t minute = 60 * s;
constexpr std::int64_t hour = 3600 * s;
constexpr std::int64_t day = 24 * hour;

/// Everything a caller gets who asks again exactly when told to.
std::vector<Drawn> drain(ScratchBudget& budget, std::uint32_t units, Instant from, Instant until) {
    std::vector<Drawn> drawn;
    Request request = request_of({{0, units}});
    for (Instant now = from; now < until;) {
        const Answer answer = budget.ask(request, now);
        if (answer.verdict == Verdict::granted) {
            drawn.push_back({answer.at, answer.valid_until, units});
            continue;
        }
        REQUIRE(answer.at > now);
        now = answer.at;
    }
    return drawn;
}

std::uint64_t units_of(const std::vector<Drawn>& drawn) {
    std::uint64_t sum = 0;
    for (const Drawn& d : drawn) sum += d.units;
    return sum;
}

}  // namespace

TEST_CASE("D01: idle, then nearly twice the limit: no window holds more than its quota") {
    struct Row {
        std::uint64_t quota;
        std::uint32_t cost;
    };
    for (const auto kind : {LimitKind::rolling, LimitKind::fixed}) {
        for (const Row& row : {Row{15, 1}, Row{1200, 10}, Row{6000, 50}}) {
            LimitDefinition d = limit(kind, row.quota, minute);
            d.largest_cost = row.cost;
            const LimitRecord record = record_of(d);
            ScratchBudget budget({record});
            const auto drawn = drain(budget, row.cost, hour + 13 * s, hour + 4 * minute);
            INFO(row.quota << " kind " << static_cast<int>(kind));
            REQUIRE_FALSE(broken(record, drawn, 0));
            REQUIRE(units_of(drawn) >= 3 * row.quota * 9 / 10);
        }
    }
}

TEST_CASE("D02: a jar the size of a minute never lets a minute over the limit") {
    const LimitRecord record = record_of(limit(LimitKind::fixed, 6000, minute));
    ScratchBudget budget({record});
    Instant start = hour;
    for (const std::int64_t idle : {std::int64_t{0}, hour, day, 7 * day}) {
        start += idle;
        for (int m = 0; m < 10; ++m, start += minute) {
            // 6,975 units a minute in calls of 75: one each 645 ms.
            std::uint64_t granted = 0;
            for (int call = 0; call < 93; ++call) {
                granted += budget.take(start + call * 645 * ms, 75) ? 75 : 0;
            }
            REQUIRE(granted <= 6000);
            REQUIRE(granted >= 5700);
        }
    }
    ScratchBudget jar({record_of(limit(LimitKind::bucket, 100, s, 100))});
    for (const std::int64_t idle : {s, hour, 7 * day}) {
        start += idle;
        std::uint64_t at_once = 0;
        while (jar.take(start)) ++at_once;
        REQUIRE(at_once <= 100);
        REQUIRE(at_once >= 75);  // the slack of 250 ms is kept back
    }
}

TEST_CASE("D04: asking often does not starve the refill") {
    for (const std::int64_t poll : {1000 * 1000ll, 900 * 1000ll, 16600 * 1000ll}) {
        ScratchBudget budget({record_of(limit(LimitKind::bucket, 60, minute, 2))});
        Request request = request_of({{0, 1}});
        Instant now = hour;
        while (budget.ask(request, now).verdict == Verdict::granted) {
        }
        int granted = 0;
        for (const Instant end = now + 10 * minute; now < end; now += poll) {
            granted += budget.ask(request, now).verdict == Verdict::granted ? 1 : 0;
        }
        INFO(poll);
        REQUIRE(granted >= 599);
        REQUIRE(granted <= 601);
    }
    ScratchBudget daily({record_of(limit(LimitKind::bucket, 1, day, 2))});
    while (daily.take(day)) {
    }
    int granted = 0;
    for (Instant now = day; now < 4 * day; now += s) granted += daily.take(now) ? 1 : 0;
    REQUIRE(granted == 3);
}

TEST_CASE("D05: rounding makes nobody faster, and slower by a nanosecond a request at most") {
    struct Row {
        std::uint64_t quota;
        std::int64_t window;
    };
    for (const Row& row : {Row{8333, 100 * s}, Row{7, 10 * s}, Row{1'999'999, 2 * s}}) {
        for (const std::uint32_t cost : {1u, 3u}) {
            const std::uint64_t burst = row.quota;
            const LimitRecord record =
                record_of(limit(LimitKind::bucket, row.quota, row.window, burst, 5 * ms));
            ScratchBudget budget({record});
            Request request = request_of({{0, cost}});
            const Instant start = hour;
            Instant now = start;
            int wakes = 0;
            std::int64_t number = 0;
            INFO(row.quota << " cost " << cost);
            const std::int64_t most = 4000 + static_cast<std::int64_t>(burst / cost);
            for (Wide granted = 0; number < std::min<std::int64_t>(most, 20000);) {
                const Answer answer = budget.ask(request, now);
                if (answer.verdict != Verdict::granted) {
                    REQUIRE(++wakes <= 1);
                    now = answer.at;
                    continue;
                }
                wakes = 0;
                ++number;
                granted += cost;
                const Wide allowed = Wide(burst) * row.window + Wide(now - start) * Wide(row.quota);
                REQUIRE(granted * row.window <= allowed);
                // Never later than the exact rule, with its slack, by more than a nanosecond each.
                const Wide exact =
                    (granted * row.window - Wide(burst) * row.window) / Wide(row.quota);
                if (exact > 0) REQUIRE(Wide(now - start) <= exact + 5 * ms + number + 1);
            }
        }
    }
}

TEST_CASE("D06: ten tenths are one, 2,000 a second are 120,000 a minute, nothing drifts") {
    ScratchBudget tenths({record_of(limit(LimitKind::bucket, 10, 10 * s, 2, 5 * ms))});
    while (tenths.take(hour)) {
    }
    const Instant empty = tenths.ask({{0, 1}}, hour).at - s;
    for (int i = 1; i < 10; ++i) REQUIRE_FALSE(tenths.take(empty + i * 100 * ms));
    REQUIRE(tenths.take(empty + 10 * 100 * ms));

    ScratchBudget fast({record_of(limit(LimitKind::bucket, 2000, s, 100, 5 * ms))});
    drain(fast, 10, hour, hour + s);
    const std::uint64_t units = units_of(drain(fast, 10, hour + s, hour + s + minute));
    REQUIRE(units >= 120'000 - 10);
    REQUIRE(units <= 120'000 + 10);

    // A third of a unit a second: the last of 30 days' grants stands where the first one says.
    ScratchBudget third({record_of(limit(LimitKind::bucket, 1, 3 * s, 2, 5 * ms))});
    Request request = request_of({{0, 1}});
    while (third.ask(request, hour).verdict == Verdict::granted) {
    }
    const Instant first = third.ask(request, hour).at;
    Instant now = first;
    for (int i = 0; i < 30 * 86400 / 3; ++i) {
        const Answer granted = third.ask(request, now);
        if (granted.verdict != Verdict::granted) FAIL(i);
        now = third.ask(request, now).at;
    }
    REQUIRE(now == first + 30 * day);
    // Beyond 2^53 nanoseconds every one of them still counts.
    const Instant late = (Instant{1} << 53) + 1;
    ScratchBudget big({record_of(limit(LimitKind::spacing, 1, s))});
    REQUIRE(big.take(late));
    REQUIRE_FALSE(big.take(late + 1250 * ms - 1));
    REQUIRE(big.take(late + 1250 * ms));
}

TEST_CASE("D07: nonsense is refused where it is written, legal extremes are exact") {
    const auto refused = [](const LimitDefinition& d) {
        return std::holds_alternative<DefinitionError>(to_record(d));
    };
    for (const auto kind : {LimitKind::bucket, LimitKind::rolling, LimitKind::fixed}) {
        REQUIRE(refused(limit(kind, 0, s)));
        REQUIRE(refused(limit(kind, 10, 0)));
        REQUIRE(refused(limit(kind, 10, -1)));
        REQUIRE(refused(limit(kind, 10, INT64_MAX)));
        REQUIRE(refused(limit(kind, 10, INT64_MIN)));
        REQUIRE(refused(limit(kind, UINT64_MAX, ms)));
        REQUIRE(refused(limit(kind, 10, minute, UINT64_MAX)));
        REQUIRE(refused(limit(kind, 10, minute, 1, INT64_MAX)));
        REQUIRE(refused(limit(kind, 10, minute, 1, -1)));
    }
    // The largest rate that is legal, and the smallest.
    ScratchBudget most(
        {record_of(limit(LimitKind::fixed, std::uint64_t{1} << 31, 11 * ms, 0, 5 * ms))});
    REQUIRE(most.ask({{0, std::uint32_t{1} << 31}}, hour).at >= hour);
    ScratchBudget least({record_of(limit(LimitKind::rolling, 1, year_ns))});
    REQUIRE(least.take(hour));
    REQUIRE(least.ask({{0, 1}}, hour).at == hour + year_ns + 250 * ms);
}

TEST_CASE("D08: a cost above what can ever fit is refused at once, and retry_at is truthful") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 1000, 100 * s, 100, s))});
    REQUIRE(budget.take(hour, 50));
    for (const std::uint32_t cost : {200u, 101u, UINT32_MAX}) {
        for (const Instant deadline : {Instant{0}, hour + minute, far}) {
            REQUIRE(budget.ask({{0, cost}}, hour, deadline).verdict == Verdict::too_large);
        }
    }
    REQUIRE(budget.state().entries().empty());
    // The whole burst is not too large; nobody slips by meanwhile.
    const Answer large = budget.ask({{0, 100}}, hour, far);
    REQUIRE(large.verdict == Verdict::reserved);
    for (Instant now = hour + 100 * ms; now < large.at; now += 100 * ms) {
        REQUIRE_FALSE(budget.take(now));
    }
    REQUIRE(budget.confirm_at(large.id, large.at).verdict == Verdict::granted);
    const Answer next = budget.ask({{0, 100}}, large.at);
    REQUIRE_FALSE(budget.take(next.at - 1, 100));
    REQUIRE(budget.take(next.at, 100));
    // Nothing costs nothing, unless paused.
    REQUIRE(budget.take(next.at, 0));
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::manual, none, next.at + s, next.at));
    REQUIRE_FALSE(budget.take(next.at, 0));
}

TEST_CASE("D09: a rate of 0 is refused, and a window of a year gives what is left and no more") {
    REQUIRE(std::holds_alternative<DefinitionError>(to_record(limit(LimitKind::bucket, 0, s, 5))));
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 5, year_ns))});
    for (int i = 0; i < 5; ++i) REQUIRE(budget.take(hour));
    const Answer sixth = budget.ask({{0, 1}}, hour, hour + 200 * ms);
    REQUIRE(sixth.verdict == Verdict::not_yet);
    REQUIRE(sixth.at == year_ns + 250 * ms);
    // A computed burst of 0 is at least one.
    REQUIRE(record_of(limit(LimitKind::rolling, 6, minute)).burst == 1);
    REQUIRE(record_of(limit(LimitKind::fixed, 59, minute)).burst == 1);
    // 59 a minute is not 0 a second.
    ScratchBudget slow({record_of(limit(LimitKind::bucket, 59, minute, 2))});
    REQUIRE(units_of(drain(slow, 1, hour, hour + minute)) >= 59);
}

TEST_CASE("D16: whoever asks, exactly the quota is admitted") {
    for (int round = 0; round < 20; ++round) {
        ScratchBudget budget({record_of(limit(LimitKind::fixed, 1000, year_ns))});
        std::uint64_t admitted = 0;
        for (std::uint32_t call = 0; call < 3000; ++call) {
            const auto slot = static_cast<std::uint16_t>(call % 16);
            const std::uint32_t cost = round == 0 ? 1 : 1 + (call * 7 + call / 16) % 7;
            Request request = request_of({{0, cost}}, 0, Lane::normal, Intent::open, slot);
            if (budget.ask(request, hour + call).verdict == Verdict::granted) admitted += cost;
        }
        REQUIRE(admitted <= 1000);
        REQUIRE(admitted > (round == 0 ? 999 : 993));
    }
}

TEST_CASE("D19: a clock that goes back neither freezes nor fills a bucket") {
    ScratchBudget budget({record_of(limit(LimitKind::bucket, 10, s, 20)),
                          record_of(limit(LimitKind::fixed, 100, minute, 10, s))});
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::cooldown, none, hour + 120 * s, hour));
    budget.freshen(hour);
    Instant now = hour;
    for (const std::int64_t wall : {-hour, hour, -ms, -50 * 365 * day, 14 * 365 * day, s}) {
        now += s;
        static_cast<void>(renew_offset(budget.state(), budget.rules(), wall, now));
        budget.freshen(now);
        // Stamps of another CPU are 200 ns behind.
        const Answer answer = budget.ask({{0, 1}}, now - 200);
        REQUIRE(answer.verdict == Verdict::paused);
        REQUIRE(answer.until == hour + 120 * s);
        REQUIRE(answer.at == hour + 120 * s + 100 * ms);
    }
    REQUIRE(budget.take(hour + 120 * s + 100 * ms));
}

TEST_CASE("D22: nothing is granted before the stamp, however long the wait") {
    for (const std::int64_t us : {999'999ll, 1'000'000ll, 2'147'483'648ll, 4'294'967'296ll,
                                  4'295'000'000ll, 86'400'000'000ll, 259'200'000'000ll}) {
        ScratchBudget budget({record_of(limit(LimitKind::fixed, 100, minute, 10, s))});
        const Instant end = hour + us * 1000;
        REQUIRE(pause(budget.state(), budget.rules(), PauseKind::ban, none, end, hour));
        budget.freshen(hour);
        const Answer waits = budget.ask({{0, 1}}, hour, far);
        INFO(us);
        REQUIRE(waits.at >= end);
        for (const Instant early : {hour + ms, end - s, end - 1}) {
            if (early <= hour) continue;
            REQUIRE(budget.confirm_at(waits.id, early).verdict == Verdict::reserved);
            REQUIRE_FALSE(budget.take(early));
        }
        REQUIRE(budget.confirm_at(waits.id, waits.at).verdict == Verdict::granted);
    }
}
