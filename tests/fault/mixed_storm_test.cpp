// SPDX-License-Identifier: Apache-2.0
//
// Everything at once: workers of every kind are killed, stopped and continued while the budget is
// reset, changed, destroyed and removed under them.
#include <sched.h>

#include <cstdlib>
#include <random>

#include "fault/mixed_workers.hpp"
#include "support/child_process.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr std::size_t workers = 10;

struct Weather {
    int kills = 0;
    int stops = 0;
    int destroyed = 0;
    int removed = 0;
};

int number_in(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? 0 : std::atoi(text);
}

/// Returns once `more` calls were answered. Ends, or the budget is wedged.
void let_work(const MixedLedger& ledger, std::uint64_t more) {
    const auto goal = ledger.calls + more;
    while (ledger.calls < goal && ledger.errors == 0) ::sched_yield();
}

class Storm {
  public:
    Storm(MixedLedger& ledger, const segment::Place& place, unsigned seed)
        : ledger_(ledger), place_(place), random_(seed) {
        for (std::size_t i = 0; i < workers; ++i) children_.push_back(start(i));
    }
    /// Takes the budget away `takings` times, evenly: each costs two seconds of a cold start.
    Weather rage(int strikes, int takings) {
        for (int strike = 1; strike <= strikes && ledger_.errors == 0; ++strike) {
            let_work(ledger_, random_() % 16);
            spin(random_() % 100'000);
            if (strike < strikes && strike % (strikes / (takings + 1)) == 0) take_away();
            strike_one();
        }
        return weather_;
    }
    int end() {
        ledger_.stop = 1;
        int failed = 0;
        for (auto& child : children_) {
            const int status = child.wait();
            if (status == 0) continue;
            UNSCOPED_INFO("a worker ended with status " << status);
            ++failed;
        }
        return failed;
    }

  private:
    ChildProcess start(std::size_t i) {
        // A crowd is a nuisance to everybody for two seconds: seldom enough.
        auto kind = static_cast<Worker>(random_() % worker_kinds);
        if (kind == Worker::crowd && random_() % 8 != 0) kind = Worker::drawer;
        const auto seed = static_cast<unsigned>(random_());
        return ChildProcess(
            [this, kind, i, seed] { return live(kind, ledger_, static_cast<int>(i), seed); });
    }
    void strike_one() {
        const auto i = random_() % workers;
        if (random_() % 4 == 0) {
            children_[i].send(SIGSTOP);
            let_work(ledger_, 1 + random_() % 16);
            children_[i].send(SIGCONT);
            ++weather_.stops;
            return;
        }
        children_[i].end();
        ++weather_.kills;
        children_[i] = start(i);
    }
    void take_away() {
        if (random_() % 2 == 0) {
            ++weather_.removed;
            ::unlink(place_.path().c_str());
        } else if (destroy("budget")) {
            ++weather_.destroyed;
        }
    }

    MixedLedger& ledger_;
    segment::Place place_;
    std::mt19937 random_;
    std::vector<ChildProcess> children_;
    Weather weather_;
};

void report(const MixedLedger& ledger, const Weather& weather, unsigned seed) {
    std::string lives;
    for (std::size_t kind = 0; kind < worker_kinds; ++kind) {
        lives += std::string(kind == 0 ? "" : ", ") + std::to_string(ledger.lives[kind].load()) +
                 ' ' + name_of(static_cast<Worker>(kind));
    }
    WARN("RATECOORD_SEED=" << seed << ": " << weather.kills << " kills, " << weather.stops
                           << " stops, destroyed " << weather.destroyed << " times, removed "
                           << weather.removed << " times; lives: " << lives << "; " << ledger.calls
                           << " calls, " << ledger.permits.next << " permits of " << ledger.units
                           << " units, " << ledger.commands << " commands; busy " << ledger.busy
                           << ", full " << ledger.full << ", opened anew " << ledger.detached
                           << "; first error: "
                           << name_of(static_cast<ErrorCode>(ledger.first_error.load())));
}

/// What fillers left in the calendar lapses at its own instant; until then it may be full.
bool gets_one(Budget& budget) {
    const auto cost = must(budget.cost({{"orders", 1}}));
    const auto until = BootClock::now() + 1min;
    for (;;) {
        const auto decision = must(budget.acquire(cost, until));
        if (decision) return true;
        UNSCOPED_INFO("refused: " << name_of(decision.refusal()));
        if (decision.refusal() != Refusal::calendar_full || BootClock::now() > until) return false;
        ::sched_yield();
    }
}

void run(int strikes, int takings) {
    const auto seed = testing::seed();
    INFO("RATECOORD_SEED=" << seed);
    ScratchDirectory directory;
    const auto path = directory.path() + "/ledger";
    ::setenv(ledger_variable, path.c_str(), 1);
    SharedFile<MixedLedger> ledger(path);
    // The first one starts full; those that are made after it start cold.
    {
        must(Budget::open("budget", {widest_rule()},
                          {.clients = 256, .reservations = 128, .full = true}));
    }
    Storm storm(*ledger, directory.place(), seed);
    const auto weather = storm.rage(strikes, takings);
    const int failed = storm.end();
    report(*ledger, weather, seed);
    CHECK(failed == 0);
    CHECK(ledger->errors == 0);
    REQUIRE(ledger->permits.next < PermitLog::most);
    const auto lines = ledger->permits.sorted();
    CHECK(!lines.empty());
    CHECK(same_id_twice(lines) == 0);
    CHECK(most_in_any_window(lines, std::chrono::nanoseconds(rule_window).count(),
                             std::chrono::nanoseconds(rule_slack).count()) <= widest_quota);
    // No ghosts: once the dead are swept, one client is left, and it gets a permit.
    auto last = must(Budget::open("budget", {widest_rule()},
                                  {.for_control = true, .clients = 256, .reservations = 128}));
    must(last.reset(true));
    must(last.sweep());
    CHECK(gets_one(last));
    CHECK(must(last.snapshot()).clients.size() == 1);
    ::unsetenv(ledger_variable);
}

}  // namespace

// The other half of the storm, in programs that its workers execute.
TEST_CASE("draws as an executed program", "[.role]") {
    const char* path = std::getenv(ledger_variable);
    REQUIRE(path != nullptr);
    SharedFile<MixedLedger> ledger(path);
    CHECK(draw_as_program(*ledger, number_in(number_variable), number_in(draws_variable)) == 0);
}

TEST_CASE(
    "G1, G4, C01, C04, C17, C21: mixed storm: whoever is killed, stopped, forked, executed or "
    "robbed of the budget, no window gets more than its quota, and nobody is wedged",
    "[mixed]") {
    run(200, 1);
}

TEST_CASE("G1, G4: mixed storm of 10,000 strikes", "[.][nightly][mixed]") {
    run(10'000, 40);
}
