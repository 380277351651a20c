// SPDX-License-Identifier: Apache-2.0
#include "fault/storm_life.hpp"

#include <sched.h>

#include <random>
#include <vector>

namespace ratecoord::testing {
namespace {

using namespace std::chrono_literals;

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

/// False where the worker cannot go on.
bool price(Budget& budget, Ledger& ledger, std::vector<Cost>& costs) {
    while (costs.size() < 5) {
        auto cost = budget.cost({{"orders", costs.size() + 1}});
        if (cost) {
            costs.push_back(*cost);
        } else if (!ledger.note(cost.error().code)) {
            return false;
        }
    }
    return true;
}

}  // namespace

LimitDefinition storm_rule() {
    LimitDefinition orders;
    orders.name = "orders";
    orders.kind = LimitKind::rolling;
    orders.quota = storm_quota;
    orders.window = storm_window;
    orders.burst = 40;
    orders.slack = storm_slack;
    return orders;
}

OpenOptions storm_sizes() {
    return {.clients = 512, .reservations = 128, .full = true};
}

int live(Ledger& ledger, int worker, unsigned seed) {
    std::mt19937 random(seed);
    auto budget = Budget::open("budget", {storm_rule()}, storm_sizes());
    // A full table is waited out: freed slots rest for two seconds.
    while (!budget && budget.error().code == ErrorCode::segment_full) {
        ::sched_yield();
        budget = Budget::open("budget", {storm_rule()}, storm_sizes());
    }
    if (!budget) {
        ledger.note(budget.error().code);
        return 1;
    }
    std::vector<Cost> costs;
    if (!price(*budget, ledger, costs)) return 1;
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

void let_work(const Ledger& ledger, std::uint64_t more) {
    const auto goal = ledger.sum(&Ledger::Line::calls) + more;
    while (ledger.sum(&Ledger::Line::calls) < goal && ledger.errors == 0) ::sched_yield();
}

}  // namespace ratecoord::testing
