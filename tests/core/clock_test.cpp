// SPDX-License-Identifier: Apache-2.0
//
// What a host's clocks may do to a budget. The venue counts by a clock of its own, which never
// steps; the reference model does the counting.
#include "core/clock_host.hpp"
#include "support/seed.hpp"

using namespace core_test;

namespace {

LimitRecord windowed(Random& random, std::int64_t window) {
    LimitDefinition definition = limit(LimitKind::fixed, 2 + random() % 20, window);
    definition.spread = random() % 3 == 0;
    return record_of(definition);
}

}  // namespace

TEST_CASE(
    "G1, D19: steps of an hour and of a day while windows run: no window of the venue's over") {
    const auto seed = testing::seed();
    INFO("seed " << seed);
    Random random(seed);
    for (int run = 0; run < 1'500; ++run) {
        const std::int64_t window = std::array{s, 10 * s, minute, 5 * minute, hour}[random() % 5];
        const LimitRecord record = windowed(random, window);
        Host host(record, 1'000 * s + between(random, 0, window), venue_offset);
        for (int act = 0; act < 60; ++act) {
            if (random() % 3 == 0) {
                // Windows of an hour or less stand where they stood, by the venue's clock too.
                host.step_by(std::array{hour, -hour, day, -day, 25 * hour}[random() % 5]);
            }
            if (random() % 4 == 0) host.wait_for_one();
            const std::int64_t wait = host.drain(1 + random() % 12);
            REQUIRE(wait <= host.longest_wait());
            host.pass(between(random, 0, window / (1 + random() % 8)), random);
        }
        const auto over = broken(record, host.drawn(), venue_offset);
        if (over) FAIL(*over);
        REQUIRE_FALSE(host.drawn().empty());
    }
}

TEST_CASE(
    "D19, D24: any step, as often as it likes: never a free window, never a wait beyond one") {
    const auto seed = testing::seed();
    INFO("seed " << seed);
    Random random(seed);
    constexpr std::int64_t year_1970 = 0;
    constexpr std::int64_t year_2040 = 2'208'988'800 * s;
    for (int run = 0; run < 1'500; ++run) {
        const std::int64_t window =
            std::array{s, 10 * s, minute, 7 * minute, hour, day}[random() % 6];
        const LimitRecord record = windowed(random, window);
        const int often = 1 + static_cast<int>(random() % 8);
        Host host(record, 1'000 * s + between(random, 0, window), venue_offset);
        for (int act = 0; act < 60; ++act) {
            if (random() % often == 0) {
                const std::array<std::int64_t, 9> steps = {hour,
                                                           -hour,
                                                           day,
                                                           -day,
                                                           -s,  // a leap second
                                                           -window,
                                                           window / 2,
                                                           between(random, -2 * window, 2 * window),
                                                           between(random, -400 * day, 400 * day)};
                if (random() % 12 == 0) {
                    host.step_to(std::array{year_1970, year_2040, venue_offset}[random() % 3]);
                } else {
                    host.step_by(steps[random() % steps.size()]);
                }
            }
            if (random() % 4 == 0) host.wait_for_one();
            const std::int64_t wait = host.drain(1 + random() % 12);
            REQUIRE(wait <= host.longest_wait());
            host.pass(between(random, 0, window / (1 + random() % 8)), random);
        }
        const auto over = free_window(record, host.drawn(), host.steps());
        if (over) FAIL(*over);
    }
}

TEST_CASE(
    "D19: a wall clock that is set right at last: from then on no window of the venue's over") {
    const auto seed = testing::seed();
    INFO("seed " << seed);
    Random random(seed);
    for (int run = 0; run < 2'000; ++run) {
        const std::int64_t window = std::array{10 * s, minute, hour, day}[random() % 4];
        const LimitRecord record = windowed(random, window);
        // Up to 5 ms are let be, and are part of what slack/2 allows for.
        const std::int64_t let_be = 5 * ms;
        std::int64_t wrong = between(random, -3 * window, 3 * window);
        if (std::abs(wrong) <= let_be) wrong += 2 * let_be + 1;
        Host host(record, 10 * day + between(random, 0, window), venue_offset + wrong);
        for (int act = 0; act < 20; ++act) {
            host.drain(1 + random() % 12);
            host.pass(between(random, 0, window / 2), random);
        }
        const std::vector<Drawn> before = host.drawn();
        const Instant step = host.now();
        host.step_to(venue_offset);
        for (int act = 0; act < 20; ++act) {
            REQUIRE(host.drain(1 + random() % 12) <= host.longest_wait());
            host.pass(between(random, 0, window / 2), random);
        }
        const std::vector<Drawn> after(
            host.drawn().begin() + static_cast<std::ptrdiff_t>(before.size()), host.drawn().end());
        const auto over = broken(record, after, venue_offset);
        if (over) FAIL(*over);
        // The window that ran at the step holds what was drawn in it under the wrong clock.
        const Instant begin = aligned(step + venue_offset, window) - venue_offset;
        std::uint64_t held = 0;
        std::uint64_t more = 0;
        for (const Drawn& d : before) held += d.at >= begin ? d.units : 0;
        for (const Drawn& d : after) more += d.at < begin + window ? d.units : 0;
        REQUIRE((more == 0 || held + more <= record.quota));
    }
}

TEST_CASE("D19: steps too small to count, many of them: no free window, no wait beyond one") {
    const LimitRecord quick = record_of(limit(LimitKind::fixed, 5, s, 0, 100 * ms));
    for (const std::int64_t by : {40 * ms, -40 * ms, 6 * ms, -6 * ms}) {
        INFO("steps of " << by);
        Host host(quick, 1'000 * s + 300 * ms, venue_offset);
        host.drain();
        REQUIRE(units_of(host.drawn()) == 5);
        // No time goes by, so all that is drawn is drawn at one instant of the venue's.
        for (int step = 0; step < 600; ++step) {
            host.step_by(by);
            REQUIRE(host.drain() <= host.longest_wait());
        }
        REQUIRE(units_of(host.drawn()) == 5);
    }
}

TEST_CASE("D19: small steps count for every limit by its own slack") {
    const std::vector<LimitRecord> records = {
        record_of(limit(LimitKind::fixed, 5, 10 * s, 0, 50 * ms)),
        record_of(limit(LimitKind::fixed, 5, 10 * s, 0, 2 * s)),
    };
    ScratchBudget::Options options;
    options.now = 1'000 * s + 3 * s;
    std::int64_t offset = venue_offset / (10 * s) * (10 * s);
    options.utc_offset = offset;
    ScratchBudget budget(records, options);
    const auto taken = [&](std::uint16_t limit) {
        int count = 0;
        while (count < 10 && budget.ask({{limit, 1}}, options.now).verdict == Verdict::granted) {
            ++count;
        }
        return count;
    };
    REQUIRE(taken(0) == 5);
    REQUIRE(taken(1) == 5);
    for (int step = 0; step < 1'000; ++step) {
        offset += 20 * ms;
        REQUIRE(renew_offset(budget.state(), budget.rules(), offset, options.now));
        REQUIRE(taken(0) == 0);
        REQUIRE(taken(1) == 0);
    }
}

TEST_CASE("D19: a bucket never sees the wall clock") {
    const auto seed = testing::seed();
    INFO("seed " << seed);
    Random random(seed);
    for (const LimitKind kind : {LimitKind::bucket, LimitKind::rolling, LimitKind::spacing}) {
        for (int run = 0; run < 200; ++run) {
            const auto quota = kind == LimitKind::spacing ? 1 : 4 + random() % 20;
            const LimitRecord record = record_of(limit(kind, quota, 10 * s, quota > 1 ? 3 : 0));
            Host still(record, hour, venue_offset);
            Host stepped(record, hour, venue_offset);
            for (int act = 0; act < 50; ++act) {
                stepped.step_by(between(random, -2 * day, 2 * day));
                const auto most = 1 + random() % 6;
                REQUIRE(still.drain(most) == stepped.drain(most));
                const std::int64_t by = between(random, 0, 5 * s);
                still.pass(by, random);
                stepped.pass(by, random);
            }
            REQUIRE(units_of(still.drawn()) == units_of(stepped.drawn()));
            const auto over = broken(record, stepped.drawn(), venue_offset);
            if (over) FAIL(*over);
        }
    }
}

TEST_CASE("C24: suspended again and again, with a queue: no window over, nothing handed out late") {
    const auto seed = testing::seed();
    INFO("seed " << seed);
    Random random(seed);
    for (int run = 0; run < 600; ++run) {
        const auto kind = static_cast<LimitKind>(1 + random() % 3);
        const std::int64_t window = std::array{s, 10 * s, minute}[random() % 3];
        const LimitRecord record = record_of(limit(kind, 8 + random() % 8, window, 4, 50 * ms));
        Host host(record, hour, venue_offset);
        for (int act = 0; act < 40; ++act) {
            host.wait_for_one();
            REQUIRE(host.drain(1 + random() % 6) <= host.longest_wait());
            // Boot time runs through it: whoever wakes is late, and looks again.
            const bool suspend = random() % 4 == 0;
            host.pass(suspend ? 10 * hour : between(random, 0, window / 4), random);
        }
        const auto over = broken(record, host.drawn(), venue_offset);
        if (over) FAIL(*over);
    }
}

TEST_CASE("C24: a machine whose boot clock stood still while it was away: the wall clock tells") {
    const auto seed = testing::seed();
    INFO("seed " << seed);
    Random random(seed);
    for (int run = 0; run < 600; ++run) {
        const LimitRecord record = windowed(random, minute);
        Host host(record, hour + between(random, 0, minute), venue_offset);
        std::int64_t away = 0;
        std::vector<Drawn> by_venue;
        for (int act = 0; act < 40; ++act) {
            const std::size_t seen = host.drawn().size();
            REQUIRE(host.drain(1 + random() % 12) <= host.longest_wait());
            for (std::size_t i = seen; i < host.drawn().size(); ++i) {
                const Drawn& d = host.drawn()[i];
                by_venue.push_back({d.at + away, d.at + away + 1, d.units});
            }
            host.pass(between(random, 0, minute / 4), random);
            if (random() % 4 == 0) {
                const std::int64_t gap = between(random, 0, 3 * minute);
                away += gap;
                host.step_by(gap);
            }
        }
        const auto over = broken(record, by_venue, venue_offset);
        if (over) FAIL(*over);
    }
}
