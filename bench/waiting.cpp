// SPDX-License-Identifier: Apache-2.0
#include "waiting.hpp"

#include <ctime>
#include <thread>

#include "figures.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
using ratecoord::BootClock;
using ratecoord::BootTime;

double microseconds(BootClock::duration time) {
    return static_cast<double>(time.count()) / 1e3;
}

void sleep_until(BootTime until) {
    const auto ns = until.time_since_epoch().count();
    const timespec time{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    ::clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &time, nullptr);
}

/// "NAME THREADS", as measure_pauses() gives it.
struct Assignment {
    explicit Assignment(const std::string& argument) {
        const auto space = argument.find(' ');
        name = argument.substr(0, space);
        threads = std::stoul(argument.substr(space + 1));
    }
    std::string name;
    std::size_t threads;
};

void wait_in_line(const Worker& worker, ratecoord::Budget& budget, Arena::Place& place) {
    const auto cost = must(budget.cost({{"pace", 1}}));
    ratecoord::Reservation reservation;
    must(budget.reserve(cost, BootClock::now() + 100000h, reservation));
    if (reservation.id() == 0) give_up("a waiter got no place in the calendar");
    worker.wait_for_begin();
    auto known = reservation.at();
    while (!worker.stopped()) {
        budget.wait(reservation, BootClock::now() + 200ms);
        must(budget.confirm(reservation));
        if (reservation.id() == 0) give_up("a waiter lost its place in the calendar");
        if (reservation.at() == known) continue;
        known = reservation.at();
        // Moved behind the pause that was set last, so this waiter has been told of it.
        if (known.time_since_epoch().count() < worker.arena->expected.load()) continue;
        place.at.store(BootClock::now().time_since_epoch().count());
        place.count.fetch_add(1);
    }
}

double last_of(Arena& arena, std::size_t waiters, BootTime paused_at, std::uint64_t round) {
    std::int64_t last = 0;
    const auto until = BootClock::now() + 10s;
    for (std::size_t i = 0; i < waiters; ++i) {
        while (arena.places[i].count.load() < round) {
            if (BootClock::now() > until) give_up("a waiter was never told of the pause");
            std::this_thread::sleep_for(1ms);
        }
        last = std::max(last, arena.places[i].at.load());
    }
    return static_cast<double>(last - paused_at.time_since_epoch().count()) / 1e6;
}

}  // namespace

void measure_lateness(Stage& stage, Verdicts& verdicts) {
    const auto name = stage.fresh_name();
    auto budget = create(name, {{.name = "tick",
                                 .kind = ratecoord::LimitKind::spacing,
                                 .quota = 1,
                                 .window = 2ms,
                                 .slack = 5ms}});
    const auto cost = must(budget.cost({{"tick", 1}}));
    std::vector<double> bare;
    std::vector<double> ours;
    must(budget.acquire(cost, 1s));
    for (int i = 0; i < 400; ++i) {
        const auto decision = must(budget.acquire(cost, 1s));
        const auto woken = BootClock::now();
        if (!decision) give_up("no permit within a second");
        ours.push_back(microseconds(woken - decision.permit().at()));
        const auto until = BootClock::now() + 5ms;
        sleep_until(until);
        bare.push_back(microseconds(BootClock::now() - until));
        // The next permit lies ahead again by as much.
        must(budget.try_acquire(cost));
    }
    for (const double part : {0.5, 0.99}) {
        const std::string which = part == 0.5 ? "median" : "p99";
        verdicts.add("wake lateness, " + which, quantile(ours, part), "us");
        verdicts.add("  bare clock_nanosleep", quantile(bare, part), "us");
        verdicts.add("  ratio", quantile(ours, part) / quantile(bare, part), "x");
    }
}

std::vector<double> measure_pauses(Stage& stage, const Audience& audience) {
    const auto name = stage.fresh_name();
    auto budget = create(name, roomy_limits(1), audience.reservations);
    must(budget.try_acquire(must(budget.cost({{"pace", 1}}))));
    const std::size_t waiters = audience.processes * audience.threads;
    Crew crew("waiter", name + ' ' + std::to_string(audience.threads), audience.processes);
    crew.begin(waiters);
    std::vector<double> last_told;
    const auto first = BootClock::now() + 10000min;
    for (int i = 0; i < audience.pauses; ++i) {
        std::this_thread::sleep_for(30ms);
        const auto until = first + i * 10000min;
        crew.arena().expected.store(until.time_since_epoch().count());
        const auto paused_at = BootClock::now();
        must(budget.pause(ratecoord::PauseKind::manual, until));
        last_told.push_back(
            last_of(crew.arena(), waiters, paused_at, static_cast<std::uint64_t>(i) + 1));
    }
    return last_told;
}

void wait_for_pauses(const Worker& worker) {
    const Assignment assigned(worker.argument);
    auto budget = must(ratecoord::Budget::attach(assigned.name));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < assigned.threads; ++i) {
        auto& place = worker.arena->places[worker.index * assigned.threads + i];
        threads.emplace_back([&worker, &budget, &place] {
            run_program([&] {
                wait_in_line(worker, budget, place);
                return 0;
            });
        });
    }
    for (auto& thread : threads) thread.join();
}

}  // namespace bench
