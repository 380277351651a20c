// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <random>

#include "fault/storm_balance.hpp"
#include "support/child_process.hpp"
#include "support/scratch_directory.hpp"
#include "support/seed.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

int number_from(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::max(1, std::atoi(text));
}

struct Weather {
    int kills = 0;
    int stops = 0;
};

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
    auto keeper = must(Budget::open("budget", {storm_rule()}, storm_sizes()));
    const Weather weather = rage(*ledger, kills, with_stops, seed);
    const auto given = must(keeper.snapshot()).limits.at(0).granted_permits;
    WARN("seed " << seed << ": " << weather.kills << " kills, " << weather.stops << " stops, "
                 << ledger->sum(&Ledger::Line::calls) << " calls, " << given << " permits given, "
                 << ledger->sum(&Ledger::Line::finished)
                 << " known to be used; told that it was too busy: " << ledger->busy
                 << "; first error: "
                 << name_of(static_cast<ErrorCode>(ledger->first_error.load())));
    check_balance(*ledger, keeper, weather.kills);
}

}  // namespace

TEST_CASE(
    "G4, C01, D11: kill storm over acquire, confirm, cancel and pause: no wedge, no unit gained") {
    run(number_from("RATECOORD_KILLS", 2'000), false);
}

TEST_CASE("G4, G1: workers stopped and continued at any moment never use a stale permit") {
    run(number_from("RATECOORD_KILLS", 2'000) / 10, true);
}
