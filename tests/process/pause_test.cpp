// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "process/crowd.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

struct Stop {
    std::atomic<std::int64_t> published{0};  ///< read after pause() returned: it stands by then
    std::atomic<std::int64_t> until{0};
    std::atomic<int> refused{0};
    std::atomic<int> waited{0};
};

std::int64_t now() {
    return PermitLog::count(BootClock::now());
}

void publish(Budget& budget, Stop& stop, PauseKind kind, std::chrono::nanoseconds length) {
    const auto until = BootClock::now() + length;
    stop.until = PermitLog::count(until);
    must(budget.pause(kind, until));
    stop.published = now();
}

}  // namespace

TEST_CASE(
    "G2: forty processes at full speed, one pauses: no permit for an instant after that and before "
    "its end") {
    ScratchDirectory directory;
    Shared<PermitLog> log;
    Shared<Stop> stop;
    const std::vector limits = {rolling("orders", 20'000, 50, 1s)};
    Crowd crowd(40, limits, {.full = true}, [&](Budget& budget, int member) {
        auto cost = must(budget.cost({{"orders", 1}}));
        for (int call = 0; stop->until == 0 || now() < stop->until; ++call) {
            if (member == 7 && call == 200) publish(budget, *stop, PauseKind::cooldown, 700ms);
            // Half of them wait; those that do are moved behind the pause.
            const bool waits = member % 2 == 0;
            auto decision = waits ? must(budget.acquire(cost, 1min)) : try_patiently(budget, cost);
            if (decision)
                log->add(decision.permit(), 1, member);
            else if (decision.refusal() == Refusal::paused)
                ++stop->refused;
            if (decision && PermitLog::count(decision.permit().at()) >= stop->until && waits &&
                stop->until != 0) {
                ++stop->waited;
            }
            ::sched_yield();
        }
        return 0;
    });
    REQUIRE(crowd.all_arrived());
    crowd.open();
    CHECK(crowd.join() == 0);
    const auto lines = log->sorted();
    WARN(lines.size() << " permits, " << stop->refused << " refusals in the pause, " << stop->waited
                      << " waiters went behind it");
    CHECK(inside(lines, stop->published, stop->until) == 0);
    CHECK(stop->published > 0);
    CHECK(stop->waited > 0);
    CHECK(stop->refused > 0);
    CHECK(most_in_any_window(lines, core::second_ns, 250 * core::millisecond_ns) <= 20'000);
}

TEST_CASE("A06, B19: ten processes wait out one pause and leave one by one, none before its end") {
    ScratchDirectory directory;
    Shared<PermitLog> log;
    Shared<Stop> stop;
    Gate told;
    // Four units a second, ten at once: a burst is what must not happen.
    Crowd crowd(10, {rolling("orders", 49, 10, 10s)}, {.full = true},
                [&](Budget& budget, int member) {
                    if (member == 0) publish(budget, *stop, PauseKind::cooldown, 1s);
                    told.arrive();
                    auto cost = must(budget.cost({{"orders", 1}}));
                    const auto decision = must(budget.acquire(cost, 1min));
                    if (!decision) return 1;
                    log->add(decision.permit(), 1, member);
                    return 0;
                });
    crowd.open();
    REQUIRE(told.wait_for(10));
    told.open();
    CHECK(crowd.join() == 0);
    const auto lines = log->sorted();
    REQUIRE(lines.size() == 10);
    CHECK(lines.front().at >= stop->until);
    for (const auto& line : lines) CHECK(line.handed_out >= stop->until);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        CHECK(lines[i].at - lines[i - 1].at >= 256 * core::millisecond_ns);
    }
}

TEST_CASE("A14: ten minutes of silence are silence for every process, and none learns less") {
    ScratchDirectory directory;
    Shared<Stop> stop;
    Gate told;
    Crowd crowd(
        4, {rolling("requests", 600, 100, 5s)}, {.full = true}, [&](Budget& budget, int member) {
            auto cost = must(budget.cost({{"requests", 1}}));
            if (member == 0) publish(budget, *stop, PauseKind::ban, 10min);
            told.arrive();
            for (int call = 0; call < 50; ++call) {
                const auto decision =
                    call == 49 ? must(budget.acquire(cost, 1min)) : try_patiently(budget, cost);
                if (decision || PermitLog::count(decision.resume_after()) != stop->until) return 1;
            }
            return 0;
        });
    crowd.open();
    REQUIRE(told.wait_for(4));
    told.open();
    CHECK(crowd.join() == 0);
}

TEST_CASE("after a ban, of twenty processes one goes alone until its reply is in") {
    ScratchDirectory directory;
    Shared<PermitLog> log;
    Shared<Stop> stop;
    Shared<std::atomic<std::int64_t>> answered;
    Shared<std::atomic<int>> probes;
    Gate told;
    Crowd crowd(20, {rolling("orders", 2'000, 100, 1s)}, {.full = true},
                [&](Budget& budget, int member) {
                    if (member == 0) publish(budget, *stop, PauseKind::ban, 500ms);
                    told.arrive();
                    auto cost = must(budget.cost({{"orders", 1}}));
                    auto decision = must(budget.acquire(cost, 1min));
                    if (!decision) return 1;
                    log->add(decision.permit(), 1, member);
                    if (!decision.permit().is_probe()) return 0;
                    ++*probes;
                    // The reply takes its time: everybody else is still waiting when it comes.
                    if (log->next != 1) return 2;
                    *answered = now();
                    must(budget.observe(decision.permit(), Outcome::rejected));
                    return 0;
                });
    crowd.open();
    REQUIRE(told.wait_for(20));
    told.open();
    CHECK(crowd.join() == 0);
    CHECK(*probes == 1);
    const auto lines = log->sorted();
    REQUIRE(lines.size() == 20);
    CHECK(lines[0].at >= stop->until);
    CHECK(lines[1].at >= *answered);
}

TEST_CASE("C26, G8: the operator removes every file under a ban: nobody sends until its end") {
    ScratchDirectory directory;
    Shared<PermitLog> log;
    Shared<Stop> stop;
    Shared<std::atomic<int>> errors;
    const std::vector limits = {rolling("orders", 1'000, 50, 1s)};
    Gate told;
    Crowd crowd(8, limits, {.full = true}, [&](Budget& budget, int member) {
        auto cost = must(budget.cost({{"orders", 1}}));
        if (member == 0) publish(budget, *stop, PauseKind::ban, 3s);
        told.arrive();
        while (now() < stop->until) {
            auto decision = patiently([&] { return budget.try_acquire(cost); });
            if (!decision)
                ++*errors;
            else if (*decision)
                log->add(decision->permit(), 1, member);
            ::sched_yield();
        }
        return must(budget.snapshot()).probe_required ? 0 : 1;
    });
    crowd.open();
    REQUIRE(told.wait_for(8));
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
        std::filesystem::remove_all(entry.path());
    }
    told.open();
    // A newcomer that knows nothing of the ban.
    auto newcomer = must(Budget::open("budget", limits));
    auto cost = must(newcomer.cost({{"orders", 1}}));
    while (now() < stop->until) {
        const auto decision = try_patiently(newcomer, cost);
        if (decision) log->add(decision.permit(), 1, 99);
        ::sched_yield();
    }
    CHECK(crowd.join() == 0);
    CHECK(*errors == 0);
    CHECK(inside(log->sorted(), stop->published, stop->until) == 0);
    CHECK(must(newcomer.snapshot()).probe_required);
}
