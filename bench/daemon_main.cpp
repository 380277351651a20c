// SPDX-License-Identifier: Apache-2.0
//
// What coordinatord costs the bots: while it is looked at, while it idles, and while it is killed
// again and again.
#include <fstream>
#include <random>
#include <thread>

#include "contention.hpp"
#include "figures.hpp"
#include "verdicts.hpp"
#include "watched.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr const char* waiting_role = "waiting";
constexpr std::size_t bots_that_wait = 40;
constexpr std::uint32_t reservations = 256;
// One crew follows on another, and a slot rests for two seconds once its client has left.
constexpr std::uint32_t clients = 512;
constexpr std::uint32_t client_slots = 1024;  // one that was left rests for two seconds

std::string waits_file(const std::string& directory, std::size_t index) {
    return directory + "/waits-" + std::to_string(index);
}

/// Acquires one permit after the other, and leaves a file of how long each took.
void wait_for_permits(const bench::Worker& worker) {
    auto budget = bench::must(ratecoord::Budget::attach(worker.argument));
    const auto cost = bench::must(budget.cost({{"paced", 1}}));
    std::vector<double> waits;
    worker.wait_for_begin();
    while (!worker.stopped()) {
        const auto asked = ratecoord::BootClock::now();
        if (!bench::must(budget.acquire(cost, 10s))) bench::give_up("no permit in ten seconds");
        const std::chrono::duration<double, std::milli> took = ratecoord::BootClock::now() - asked;
        waits.push_back(took.count());
    }
    std::ofstream out(waits_file(std::getenv("RATECOORD_DIR"), worker.index));
    for (const double wait : waits) out << wait << '\n';
    out.close();
    worker.finish();
}

/// p99 of the waits of forty bots over `time`, in ms; `meanwhile(until)` is what else goes on.
template <class Meanwhile>
double p99_of_waits(const bench::Stage& stage, const std::string& name,
                    std::chrono::milliseconds time, Meanwhile&& meanwhile) {
    bench::Crew crew(waiting_role, name, bots_that_wait);
    crew.begin(bots_that_wait);
    const auto until = steady_clock::now() + time;
    meanwhile(until);
    std::this_thread::sleep_until(until);
    crew.stop();
    crew.wait_until_finished(bots_that_wait);
    std::vector<double> waits;
    for (std::size_t i = 0; i < bots_that_wait; ++i) {
        std::ifstream in(waits_file(stage.directory(), i));
        // The first one falls into the burst, or what the run before left.
        double wait = 0;
        for (int number = 0; in >> wait; ++number) {
            if (number > 0) waits.push_back(wait);
        }
    }
    if (waits.empty()) bench::give_up("nobody waited");
    return bench::quantile(waits, 0.99);
}

/// Starts and kills it at random until then; how often.
int kill_again_and_again(const bench::DaemonPlace& place, steady_clock::time_point until) {
    static std::mt19937 random(20'261'205);
    int kills = 0;
    while (steady_clock::now() < until) {
        bench::Daemon daemon(place);
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 80));
        daemon.kill();
        ++kills;
    }
    return kills;
}

void measure_watching(const bench::DaemonPlace& place, const std::string& name,
                      bench::Verdicts& verdicts) {
    constexpr std::size_t bots = 64;
    std::vector<double> ratios;
    std::vector<double> alone;
    double most_memory = 0;
    const auto run = [&] {
        return bench::measure(bench::budget_role, name, bots, 3s).per_second / 1e6;
    };
    for (int pair = 0; pair < 10; ++pair) {
        if (pair % 2 == 0) alone.push_back(run());
        double watched = 0;
        {
            bench::Daemon daemon(place);
            daemon.wait_until_ready();
            bench::Audience audience(place);
            watched = run();
            if (!audience.all_saw_something())
                bench::give_up("somebody of the audience saw nothing");
            most_memory = std::max(most_memory, daemon.memory_mb("VmHWM"));
        }
        if (pair % 2 != 0) alone.push_back(run());
        ratios.push_back(watched / alone.back());
    }
    verdicts.add("64 bots, nobody watches: permits, median", bench::median(alone), "M/s");
    verdicts.add("  with scrapes, 3 viewers and top at 10 Hz, median", bench::median(ratios), "x",
                 bench::Bar::at_least(0.98));
    verdicts.add("  lower and", bench::quantile(ratios, 0.25), "x");
    verdicts.add("  upper quartile of the pairs", bench::quantile(ratios, 0.75), "x");
    verdicts.add("  daemon, most memory", most_memory, "MB");
}

void measure_idle(const bench::DaemonPlace& place, bench::Verdicts& verdicts) {
    bench::Daemon daemon(place);
    daemon.wait_until_ready();
    const auto before = daemon.processor_seconds();
    const auto begun = steady_clock::now();
    std::this_thread::sleep_for(20s);
    const std::chrono::duration<double> took = steady_clock::now() - begun;
    const auto used = daemon.processor_seconds() - before;
    verdicts.add("daemon idle: of one core", 100 * used / took.count(), "%",
                 bench::Bar::at_most(1));
    verdicts.add("daemon idle: memory", daemon.memory_mb("VmRSS"), "MB", bench::Bar::at_most(30));
}

void measure_kills(bench::Stage& stage, bench::Verdicts& verdicts) {
    const auto name = stage.fresh_name();
    auto limits = bench::roomy_limits(3);
    limits.push_back({.name = "paced",
                      .kind = ratecoord::LimitKind::bucket,
                      .quota = 400,
                      .window = 1s,
                      .burst = 200});
    const auto budget = bench::create(name, limits, 512, client_slots);
    const bench::DaemonPlace place(stage, name,
                                   "[limits.paced]\nkind = \"bucket\"\nquota = 400\n"
                                   "window = \"1s\"\nburst = 200\n");
    constexpr auto time = 5s;
    std::vector<double> ratios;
    std::vector<double> calm;
    int kills = 0;
    const auto without = [&] { return p99_of_waits(stage, name, time, [](auto) {}); };
    const auto with = [&] {
        return p99_of_waits(stage, name, time,
                            [&](auto until) { kills += kill_again_and_again(place, until); });
    };
    without();  // the burst that the budget began with is gone
    for (int pair = 0; pair < 10; ++pair) {
        if (pair % 2 == 0) calm.push_back(without());
        const double stormy = with();
        if (pair % 2 != 0) calm.push_back(without());
        ratios.push_back(stormy / calm.back());
    }
    verdicts.add("40 bots, no daemon: wait, p99", bench::median(calm), "ms");
    verdicts.add("  daemon killed at random", kills, "times");
    verdicts.add("  ratio of p99, median of the pairs", bench::median(ratios), "x",
                 bench::Bar::at_most(1.05));
    verdicts.add("  worst pair", bench::quantile(ratios, 1), "x");
}

int run() {
    bench::Stage stage;
    bench::Verdicts verdicts("ratecoord_daemon_bench");
    const auto name = stage.fresh_name();
    const auto budget = bench::create(name, bench::roomy_limits(3), 512, client_slots);
    const bench::DaemonPlace place(stage, name);
    measure_idle(place, verdicts);
    measure_watching(place, name, verdicts);
    measure_kills(stage, verdicts);
    return verdicts.finish();
}

}  // namespace

int main(int argc, char** argv) {
    return bench::run_program([&] {
        bench::Worker worker;
        if (!bench::Worker::is_one(argc, argv, worker)) return run();
        if (worker.role == waiting_role) {
            wait_for_permits(worker);
        } else {
            bench::draw(worker);
        }
        return 0;
    });
}
