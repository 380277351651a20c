// SPDX-License-Identifier: Apache-2.0
//
// Throughput of 1 to 64 processes that share one budget, and of as many that share a locked file.
#include <map>

#include "contention.hpp"
#include "verdicts.hpp"

namespace {

using namespace std::chrono_literals;

int run() {
    bench::Stage stage;
    bench::Verdicts verdicts("ratecoord_contention");
    const auto name = stage.fresh_name();
    const auto budget = bench::create(name, bench::roomy_limits(3));
    const auto file = stage.directory() + "/locked";
    std::map<std::size_t, bench::Throughput> budgets;
    std::map<std::size_t, bench::Throughput> files;
    for (const std::size_t processes : {1, 2, 8, 64}) {
        budgets[processes] = bench::measure(bench::budget_role, name, processes, 2s);
        files[processes] = bench::measure(bench::file_role, file, processes, 2s);
    }
    for (const auto& [processes, got] : budgets) {
        const bool judged = processes == 64;
        const auto who = std::to_string(processes) + (processes == 1 ? " process" : " processes");
        const double against_file = got.per_second / files[processes].per_second;
        verdicts.add(who + ": permits", got.per_second / 1e6, "M/s");
        verdicts.add("  of one process", got.per_second / budgets[1].per_second, "x",
                     judged ? bench::Bar::at_least(0.1) : bench::Bar{});
        verdicts.add("  poorest of its fair share", got.poorest, "x",
                     judged ? bench::Bar::at_least(0.5) : bench::Bar{});
        verdicts.add("  locked file", files[processes].per_second / 1e6, "M/s");
        verdicts.add("  poorest of its fair share, locked file", files[processes].poorest, "x");
        verdicts.add("  against the locked file", against_file, "x",
                     judged ? bench::Bar::at_least(2) : bench::Bar{});
    }
    return verdicts.finish();
}

}  // namespace

int main(int argc, char** argv) {
    return bench::run_program([&] {
        bench::Worker worker;
        if (!bench::Worker::is_one(argc, argv, worker)) return run();
        bench::draw(worker);
        return 0;
    });
}
