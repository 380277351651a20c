// SPDX-License-Identifier: Apache-2.0
//
// How late a permit wakes its waiter, and how long a pause takes to reach the last one.
#include "figures.hpp"
#include "waiting.hpp"

namespace {

int run() {
    bench::Stage stage;
    bench::Verdicts verdicts("ratecoord_waiting");
    bench::measure_lateness(stage, verdicts);
    const auto told = bench::measure_pauses(
        stage, {.processes = 64, .threads = 1, .reservations = 512, .pauses = 100});
    verdicts.add("pause, 64 processes: last waiter told, median", bench::median(told), "ms");
    verdicts.add("pause, 64 processes: last waiter told, p99", bench::quantile(told, 0.99), "ms",
                 bench::Bar::at_most(5));
    const auto crowd = bench::measure_pauses(
        stage, {.processes = 10, .threads = 100, .reservations = 2048, .pauses = 20});
    verdicts.add("pause, 1000 waiters: last one told, median", bench::median(crowd), "ms");
    verdicts.add("pause, 1000 waiters: last one told, worst", bench::quantile(crowd, 1), "ms",
                 bench::Bar::at_most(100));
    return verdicts.finish();
}

}  // namespace

int main(int argc, char** argv) {
    return bench::run_program([&] {
        bench::Worker worker;
        if (!bench::Worker::is_one(argc, argv, worker)) return run();
        bench::wait_for_pauses(worker);
        return 0;
    });
}
