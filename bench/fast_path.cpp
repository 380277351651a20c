// SPDX-License-Identifier: Apache-2.0
#include "fast_path.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>

#include "allocations.hpp"
#include "segment/segment.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
using ratecoord::BootClock;
using ratecoord::Budget;

/// One budget with its calendar filled, and a bare attachment for the floor.
struct Scene {
    Scene(Stage& stage, std::size_t limit_count, std::size_t ahead)
        : name(stage.fresh_name()),
          budget(create(name, roomy_limits(limit_count))),
          cost(roomy_cost(budget, limit_count)),
          floor(must(ratecoord::segment::Segment::attach(*ratecoord::segment::place_of(name),
                                                         {.label = "floor"}))) {
        if (ahead == 0) return;
        std::vector<ratecoord::CostItem> items{{"pace", 1}};
        limits = roomy_limits(limit_count);
        for (std::size_t i = 0; i < std::min<std::size_t>(limit_count, 7); ++i) {
            items.push_back({limits[i].name, 1, limits[i].per.empty() ? "" : "main"});
        }
        queue = std::make_unique<Queue>(name, 512);
        queue->fill_to(ahead, items);
    }

    std::string name;
    std::vector<ratecoord::LimitDefinition> limits;
    Budget budget;
    ratecoord::Cost cost;
    std::unique_ptr<ratecoord::segment::Segment> floor;
    std::unique_ptr<Queue> queue;
};

void try_acquire(benchmark::State& state, Scene& scene) {
    const auto before = allocations();
    std::uint64_t refused = 0;
    for (auto _ : state) {
        auto decision = scene.budget.try_acquire(scene.cost);
        refused += decision && *decision ? 0 : 1;
        benchmark::DoNotOptimize(decision);
    }
    state.counters["allocations"] = static_cast<double>(allocations() - before);
    if (refused > 0) state.SkipWithError("refused where there is room");
}

void bare_commit(benchmark::State& state, Scene& scene) {
    for (auto _ : state) {
        const auto result = scene.floor->commit(
            -ratecoord::core::second_ns, [](ratecoord::core::State&, const ratecoord::core::Rules&,
                                            ratecoord::core::Instant) { return true; });
        if (!result.ok()) state.SkipWithError("no commit");
        benchmark::DoNotOptimize(BootClock::now());
    }
}

void take_snapshot(benchmark::State& state, Scene& scene) {
    for (auto _ : state) benchmark::DoNotOptimize(scene.budget.snapshot());
}

void set_pause(benchmark::State& state, Scene& scene) {
    // Below 10 s, so that nothing is written to disk.
    auto until = BootClock::now() + 5s;
    for (auto _ : state) {
        until = std::max(until + 1ns, BootClock::now() + 5s);
        if (!must(scene.budget.pause(ratecoord::PauseKind::manual, until))) {
            state.SkipWithError("not paused");
        }
    }
}

/// A freed slot rests for 2 s, so each run fills a segment of its own.
void attach(benchmark::State& state, Stage& stage) {
    const auto name = stage.fresh_name();
    const auto first = create(name, roomy_limits(3));
    std::vector<Budget> attached;
    attached.reserve(128);
    for (auto _ : state) attached.push_back(must(Budget::attach(name)));
}

/// Keeps each benchmark's best repetition.
class BestOf : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            if (run.error_occurred) give_up(run.benchmark_name() + ": " + run.error_message);
            const auto name = run.run_name.function_name;
            const double time = run.GetAdjustedCPUTime();
            const auto known = best_.find(name);
            best_[name] = known == best_.end() ? time : std::min(known->second, time);
            const auto counter = run.counters.find("allocations");
            if (counter != run.counters.end()) allocations_ += counter->second.value;
        }
    }
    double ns(const std::string& name) const { return best_.at(name); }
    double allocations() const { return allocations_; }

  private:
    std::map<std::string, double> best_;
    double allocations_ = 0;
};

void run(BestOf& best) {
    std::string arguments[] = {"ratecoord_bench", "--benchmark_repetitions=9",
                               "--benchmark_min_time=0.03",
                               "--benchmark_enable_random_interleaving=true"};
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    int argc = static_cast<int>(argv.size());
    benchmark::Initialize(&argc, argv.data());
    benchmark::RunSpecifiedBenchmarks(&best);
    benchmark::Shutdown();
}

std::string name_of(const char* what, std::size_t limits, std::size_t ahead) {
    std::string name =
        what + (", " + std::to_string(limits)) + (limits == 1 ? " limit" : " limits");
    return ahead == 0 ? name : name + ", " + std::to_string(ahead) + " ahead";
}

}  // namespace

void measure_calls(Stage& stage, Verdicts& verdicts) {
    constexpr std::size_t limit_counts[] = {1, 3, 8};
    constexpr std::size_t queue_lengths[] = {0, 50, 500};
    std::map<std::string, std::unique_ptr<Scene>> scenes;
    const auto offer = [&](const std::string& name, auto body, std::size_t limits,
                           std::size_t ahead) {
        auto& scene = scenes[name] = std::make_unique<Scene>(stage, limits, ahead);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [body, made = scene.get()](benchmark::State& state) { body(state, *made); });
    };
    for (const auto limits : limit_counts) {
        for (const auto ahead : queue_lengths) {
            offer(name_of("try_acquire", limits, ahead), try_acquire, limits, ahead);
            offer(name_of("floor", limits, ahead), bare_commit, limits, ahead);
        }
    }
    for (const auto ahead : {queue_lengths[0], queue_lengths[2]}) {
        offer(name_of("snapshot", 3, ahead), take_snapshot, 3, ahead);
        offer(name_of("pause", 3, ahead), set_pause, 3, ahead);
    }
    benchmark::RegisterBenchmark("attach", [&](benchmark::State& state) {
        attach(state, stage);
    })->Iterations(100);
    BestOf best;
    run(best);

    for (const auto limits : limit_counts) {
        for (const auto ahead : queue_lengths) {
            const auto name = name_of("try_acquire", limits, ahead);
            const double floor = best.ns(name_of("floor", limits, ahead));
            verdicts.add(name, best.ns(name), "ns");
            verdicts.add("  its floor", floor, "ns");
            const bool judged = limits == 3 && ahead == 0;
            verdicts.add("  ratio", best.ns(name) / floor, "x", judged ? Bar::at_most(2) : Bar{});
        }
    }
    for (const auto ahead : {queue_lengths[0], queue_lengths[2]}) {
        verdicts.add(name_of("snapshot", 3, ahead), best.ns(name_of("snapshot", 3, ahead)) / 1e3,
                     "us");
        verdicts.add(name_of("pause", 3, ahead), best.ns(name_of("pause", 3, ahead)) / 1e3, "us");
    }
    verdicts.add("attach", best.ns("attach") / 1e3, "us");
    verdicts.add("allocations by all try_acquire", best.allocations(), "", Bar::at_most(0));
}

}  // namespace bench
