// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <cstdlib>
#include <random>

#include "fault/ledger.hpp"
#include "support/child_process.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"
#include "support/seed.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

// Fast enough that a storm fills many windows, slow enough that most calls have to wait.
constexpr auto window = 200ms;
constexpr std::uint64_t quota = 400;
constexpr std::uint64_t burst = 40;
constexpr auto slack = 100ms;

LimitDefinition orders() {
    auto limit = rolling("orders", quota, burst, window);
    limit.slack = slack;
    return limit;
}

OpenOptions sizes() {
    return {.clients = 512, .reservations = 128, .full = true};
}

int number_from(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::max(1, std::atoi(text));
}

void use(Ledger& ledger, int worker, Permit& permit, std::uint32_t units) {
    ledger.permits.add(permit, units, worker);
    ++ledger.lines[static_cast<std::size_t>(worker)].finished;
}

/// One call of any kind; the units it may draw were entered as intended before.
Result<void> call(Budget& budget, const Cost& cost, std::uint32_t units, Ledger& ledger, int worker,
                  unsigned die) {
    if (die % 64 == 0) {
        auto paused = budget.pause(PauseKind::cooldown, BootClock::now() + 2ms);
        if (!paused) return tl::unexpected(paused.error());
    }
    if (die % 3 == 0) {
        // Many commits without a wait between them: most kills are to hit one.
        for (int tries = 0; tries < 500; ++tries) {
            ++ledger.lines[static_cast<std::size_t>(worker)].intended;
            auto decision = budget.try_acquire(cost);
            if (!decision) return tl::unexpected(decision.error());
            if (*decision) use(ledger, worker, decision->permit(), units);
        }
        return {};
    }
    if (die % 3 == 1) {
        auto decision = budget.acquire(cost, 20ms);
        if (!decision) return tl::unexpected(decision.error());
        if (*decision) use(ledger, worker, decision->permit(), units);
        return {};
    }
    Reservation reservation;
    auto decision = budget.reserve(cost, BootClock::now() + 50ms, reservation);
    if (decision && reservation.id() != 0 && die % 2 == 0) {
        auto cancelled = budget.cancel(reservation);
        if (!cancelled) return tl::unexpected(cancelled.error());
        return {};
    }
    while (decision && !*decision && reservation.id() != 0) {
        budget.wait(reservation, reservation.at());
        decision = budget.confirm(reservation);
    }
    if (!decision) return tl::unexpected(decision.error());
    if (*decision) use(ledger, worker, decision->permit(), units);
    return {};
}

/// One life of a worker. A full table is waited out: freed slots rest for two seconds.
int live(Ledger& ledger, int worker, unsigned seed) {
    std::mt19937 random(seed);
    auto budget = Budget::open("budget", {orders()}, sizes());
    while (!budget && budget.error().code == ErrorCode::segment_full) {
        ::sched_yield();
        budget = Budget::open("budget", {orders()}, sizes());
    }
    if (!budget) {
        ledger.note(budget.error().code);
        return 1;
    }
    std::vector<Cost> costs;
    for (std::uint64_t units = 1; units <= 5; ++units) {
        auto cost = patiently([&] { return budget->cost({{"orders", units}}); });
        if (!cost) {
            ledger.note(cost.error().code);
            return 1;
        }
        costs.push_back(*cost);
    }
    auto& line = ledger.lines[static_cast<std::size_t>(worker)];
    while (ledger.stop == 0) {
        const auto units = 1u + static_cast<std::uint32_t>(random()) % 5;
        ++line.intended;
        if (auto done = call(*budget, costs[units - 1], units, ledger, worker,
                             static_cast<unsigned>(random()));
            done) {
            ++line.calls;
        } else if (!ledger.note(done.error().code)) {
            return 1;
        }
    }
    return 0;
}

struct Weather {
    int kills = 0;
    int stops = 0;
};

/// Returns once `more` calls were finished by whoever still can. Ends, or the budget is wedged.
void let_work(const Ledger& ledger, std::uint64_t more) {
    const auto goal = ledger.sum(&Ledger::Line::calls) + more;
    while (ledger.sum(&Ledger::Line::calls) < goal && ledger.errors == 0) ::sched_yield();
}

/// So that a worker is hit anywhere in a call, not where it has just finished one.
void spin(unsigned turns) {
    std::atomic<unsigned> left{turns};
    while (left.fetch_sub(1) > 1) {
    }
}

/// Kills (or stops and continues) a random worker at a random moment, again and again.
Weather rage(Ledger& ledger, int kills, bool with_stops, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<ChildProcess> workers;
    const auto start = [&](int worker) {
        const auto own = static_cast<unsigned>(random());
        return ChildProcess([&, worker, own] { return live(ledger, worker, own); });
    };
    for (int worker = 0; worker < Ledger::workers; ++worker) workers.push_back(start(worker));
    Weather weather;
    while (weather.kills < kills && ledger.errors == 0) {
        const int worker = static_cast<int>(random() % Ledger::workers);
        auto& child = workers[static_cast<std::size_t>(worker)];
        let_work(ledger, random() % 8);
        spin(1u + static_cast<unsigned>(random() % 100'000));
        if (with_stops && random() % 2 == 0) {
            child.send(SIGSTOP);
            let_work(ledger, 1 + random() % 16);
            child.send(SIGCONT);
            ++weather.stops;
            continue;
        }
        child.end();
        ++weather.kills;
        child = start(worker);
    }
    ledger.stop = 1;
    for (auto& child : workers) {
        if (child.wait() != 0) ++ledger.errors;
    }
    return weather;
}

void run(int kills, bool with_stops) {
    const unsigned seed = testing::seed();
    INFO("RATECOORD_SEED=" << seed);
    ScratchDirectory directory;
    Shared<Ledger> ledger;
    auto keeper = must(Budget::open("budget", {orders()}, sizes()));
    const Weather weather = rage(*ledger, kills, with_stops, seed);
    const auto lines = ledger->permits.sorted();
    const auto snapshot = must(keeper.snapshot());
    const std::uint64_t given = snapshot.limits.at(0).granted_permits;
    WARN("seed " << seed << ": " << weather.kills << " kills, " << weather.stops << " stops, "
                 << ledger->sum(&Ledger::Line::calls) << " calls, " << given << " permits given, "
                 << ledger->sum(&Ledger::Line::finished)
                 << " known to be used; told that it was too busy: " << ledger->busy
                 << "; first error: "
                 << name_of(static_cast<ErrorCode>(ledger->first_error.load())));
    CHECK(ledger->errors == 0);
    // Counters are beside the state: a worker killed between publication and count loses its count.
    CHECK(ledger->sum(&Ledger::Line::finished) <=
          given + static_cast<std::uint64_t>(weather.kills));
    CHECK(given <= ledger->sum(&Ledger::Line::intended));
    CHECK(same_id_twice(lines) == 0);
    CHECK(most_in_any_window(lines, std::chrono::nanoseconds(window).count(),
                             std::chrono::nanoseconds(slack).count()) <= quota);
    CHECK(stale(lines) == 0);
    // No ghosts: once the dead are swept, nothing is left and a permit is to be had.
    must(keeper.sweep());
    CHECK(must(keeper.acquire(must(keeper.cost({{"orders", 1}})), 1min)));
}

}  // namespace

TEST_CASE(
    "G4, C01, D11: kill storm over acquire, confirm, cancel and pause: no wedge, no unit gained") {
    run(number_from("RATECOORD_KILLS", 2'000), false);
}

TEST_CASE("G4, G1: workers stopped and continued at any moment never use a stale permit") {
    run(number_from("RATECOORD_KILLS", 2'000) / 10, true);
}
