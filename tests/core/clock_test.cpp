// SPDX-License-Identifier: Apache-2.0
//
// What a host's clocks may do to a budget. The venue counts by a clock of its own, which never
// steps; the reference model does the counting.
#include <random>

#include "core/reference_model.hpp"
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

using Random = std::mt19937_64;

constexpr std::int64_t minute = 60 * s;
constexpr std::int64_t hour = 3600 * s;
constexpr std::int64_t day = 24 * hour;
constexpr std::int64_t venue_offset = 1'790'000'000 * s + 123'456'789;

std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

std::uint64_t units_of(const std::vector<Drawn>& drawn) {
    std::uint64_t sum = 0;
    for (const Drawn& d : drawn) sum += d.units;
    return sum;
}

struct Stepped {
    Instant at;
    Instant began;  ///< the window that ran before the step
    Instant ends;   ///< the one that runs after it
};

/// A greedy host under one limit, whose wall clock the test steps.
class Host {
  public:
    Host(const LimitRecord& record, Instant now, std::int64_t offset)
        : record_(record), budget_({record}, options(now, offset)), now_(now), offset_(offset) {}

    /// What the wall clock says changes, and a client notices.
    void step_to(std::int64_t offset) {
        const auto start = [&](std::int64_t by) {
            return aligned(now_ + by, record_.window_ns) - by;
        };
        steps_.push_back({now_, start(offset_), start(offset) + record_.window_ns});
        offset_ = offset;
        static_cast<void>(renew_offset(budget_.state(), budget_.rules(), offset, now_));
        REQUIRE(valid(budget_.state()));
    }
    void step_by(std::int64_t by) { step_to(offset_ + by); }

    /// Boot time goes by; reservations whose turn comes are confirmed, now and then too late.
    void pass(std::int64_t by, Random& random) {
        const Instant until = now_ + by;
        for (;;) {
            budget_.freshen(now_);
            std::uint64_t next = 0;
            Instant at = until;
            for (const std::uint64_t id : waiting_) {
                const Answer seen = budget_.where(id, now_);
                if (seen.verdict == Verdict::reserved && seen.at < at) {
                    next = id;
                    at = seen.at;
                }
            }
            if (next == 0) break;
            now_ = std::max(now_, at) + (random() % 8 == 0 ? between(random, 0, s) : 0);
            std::erase(waiting_, next);
            const Answer answer = budget_.confirm_at(next, now_);
            if (answer.verdict == Verdict::granted) send(answer, 1);
            if (answer.verdict == Verdict::reserved) waiting_.push_back(next);
        }
        now_ = std::max(now_, until);
    }

    /// Takes what there is; says how long the next unit takes to come.
    std::int64_t drain(std::size_t most = 10'000) {
        for (; most > 0; --most) {
            Request request = request_of({{0, 1}});
            const Answer answer = budget_.ask(request, now_);
            if (answer.verdict != Verdict::granted) return answer.at - now_;
            send(answer, 1);
        }
        return 0;
    }
    void wait_for_one() {
        Request request = request_of({{0, 1}}, now_ + 3 * record_.window_ns);
        const Answer answer = budget_.ask(request, now_);
        if (answer.verdict == Verdict::granted) send(answer, 1);
        if (answer.verdict == Verdict::reserved) waiting_.push_back(answer.id);
    }

    /// The longest that the next unit may take: a window and its slack, and more where others wait.
    std::int64_t longest_wait() const {
        const auto windows = 1 + (waiting_.size() + record_.quota - 1) / record_.quota;
        return static_cast<std::int64_t>(windows) * record_.window_ns + record_.slack_ns;
    }
    Instant now() const { return now_; }
    const std::vector<Drawn>& drawn() const { return drawn_; }
    const std::vector<Stepped>& steps() const { return steps_; }
    ScratchBudget& budget() { return budget_; }

  private:
    static ScratchBudget::Options options(Instant now, std::int64_t offset) {
        ScratchBudget::Options result;
        result.now = now;
        result.utc_offset = offset;
        return result;
    }
    void send(const Answer& answer, std::uint64_t units) {
        drawn_.push_back({answer.at, answer.valid_until, units});
    }

    LimitRecord record_;
    ScratchBudget budget_;
    Instant now_;
    std::int64_t offset_;
    std::vector<std::uint64_t> waiting_;
    std::vector<Drawn> drawn_;
    std::vector<Stepped> steps_;
};

LimitRecord windowed(Random& random, std::int64_t window) {
    LimitDefinition definition = limit(LimitKind::fixed, 2 + random() % 20, window);
    definition.spread = random() % 3 == 0;
    return record_of(definition);
}

/// The window that runs after a step never gives what the one before it gave already.
std::optional<std::string> free_window(const LimitRecord& record, const std::vector<Drawn>& drawn,
                                       const std::vector<Stepped>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Instant end =
            i + 1 < steps.size() ? std::min(steps[i].ends, steps[i + 1].at) : steps[i].ends;
        std::uint64_t units = 0;
        bool more = false;
        for (const Drawn& d : drawn) {
            if (d.at < steps[i].began || d.at >= end) continue;
            units += d.units;
            more = more || d.at > steps[i].at;
        }
        if (!more || units <= record.quota) continue;
        return std::to_string(units) + " units of " + std::to_string(record.quota) +
               " around step " + std::to_string(i);
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE(
    "G1, D19: steps of an hour and of a day while windows run: no window of the venue's over") {
    const auto seed = std::random_device{}();
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
    const auto seed = std::random_device{}();
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
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    Random random(seed);
    for (int run = 0; run < 2'000; ++run) {
        const std::int64_t window = std::array{10 * s, minute, hour, day}[random() % 4];
        const LimitRecord record = windowed(random, window);
        const std::int64_t wrong = between(random, -3 * window, 3 * window);
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

TEST_CASE("D19: a bucket never sees the wall clock") {
    const auto seed = std::random_device{}();
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
    const auto seed = std::random_device{}();
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
    const auto seed = std::random_device{}();
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

TEST_CASE("a leap second repeats 23:59:59: the day and the minute hold, and the next ones open") {
    for (const std::int64_t window : {10 * s, minute, day}) {
        const LimitRecord record = record_of(limit(LimitKind::fixed, 10, window));
        const Instant midnight = 3 * day;
        Host host(record, midnight - 5 * s, 0);
        host.drain();
        REQUIRE(units_of(host.drawn()) == 10);
        Random random(1);
        host.pass(5 * s, random);
        host.step_by(-s);  // 24:00:00 is 23:59:59 once more
        const std::int64_t wait = host.drain();
        REQUIRE(wait == s + record.slack_ns);
        REQUIRE(units_of(host.drawn()) == 10);
        host.pass(wait, random);
        host.drain();
        REQUIRE(units_of(host.drawn()) == 20);
    }
}

TEST_CASE("20 years of uptime, into the 2050s: windows open, buckets refill, nothing is refused") {
    const Instant up = 20 * year_ns;
    for (const std::int64_t offset : {venue_offset, 2'000'000'000 * s}) {  // utc up to 2053
        for (const LimitKind kind : {LimitKind::fixed, LimitKind::bucket, LimitKind::rolling}) {
            const LimitRecord record = record_of(limit(kind, 100, minute, 20));
            Host host(record, up, offset);
            Random random(7);
            for (int act = 0; act < 60; ++act) {
                REQUIRE(host.drain(30) <= host.longest_wait());
                host.wait_for_one();
                host.pass(3 * s, random);
                REQUIRE(valid(host.budget().state()));
            }
            const auto over = broken(record, host.drawn(), offset);
            if (over) FAIL(*over);
            REQUIRE(units_of(host.drawn()) >= 200);  // three minutes of 100, less burst and slack
            REQUIRE(pause(host.budget().state(), host.budget().rules(), PauseKind::ban, none,
                          host.now() + day, host.now()));
            REQUIRE(host.drain() >= day);
        }
    }
}

TEST_CASE("a wall clock set to any year: the state stays sound, and the way back is open") {
    const LimitRecord record = record_of(limit(LimitKind::fixed, 10, minute));
    Host host(record, hour, venue_offset);
    Random random(3);
    for (const std::int64_t offset :
         {std::int64_t{0}, -hour, 2'300'000'000 * s, 2'600'000'000 * s, 4'000'000'000 * s,
          9'200'000'000 * s, -9'200'000'000 * s, venue_offset}) {
        INFO("offset " << offset);
        host.step_to(offset);
        REQUIRE(host.drain() <= host.longest_wait());
        host.pass(2 * minute, random);
        const std::size_t before = host.drawn().size();
        host.pass(host.drain(), random);  // perhaps between two windows
        host.drain();
        REQUIRE(host.drawn().size() - before >= 10);
    }
    const auto over = free_window(record, host.drawn(), host.steps());
    if (over) FAIL(*over);
}

TEST_CASE("D01: a limit idle for a year gives one burst, and no window more than its quota") {
    for (const LimitKind kind :
         {LimitKind::fixed, LimitKind::bucket, LimitKind::rolling, LimitKind::spacing}) {
        for (const std::int64_t window : {10 * s, minute, day}) {
            const std::uint64_t quota = kind == LimitKind::spacing ? 1 : 60;
            const LimitRecord record = record_of(limit(kind, quota, window, quota > 1 ? 15 : 0));
            Host host(record, hour, venue_offset);
            host.drain();
            Random random(5);
            host.pass(year_ns + 3 * s, random);
            const std::uint64_t before = units_of(host.drawn());
            host.drain();
            const std::uint64_t burst = kind == LimitKind::fixed ? quota : record.burst;
            REQUIRE(units_of(host.drawn()) - before <= burst);
            REQUIRE(units_of(host.drawn()) > before);
            for (int act = 0; act < 40; ++act) {
                host.pass(window / 16, random);
                host.drain();
            }
            const auto over = broken(record, host.drawn(), venue_offset);
            if (over) FAIL(*over);
        }
    }
}
