// SPDX-License-Identifier: Apache-2.0
#include "contention.hpp"

#include <algorithm>
#include <limits>
#include <thread>

#include "locked_file.hpp"

namespace bench {
namespace {

template <class Take>
void draw_until_stopped(const Worker& worker, Take&& take) {
    worker.wait_for_begin();
    std::uint64_t count = 0;
    while (!worker.stopped()) {
        if (!take()) give_up("refused where there is room");
        ++count;
    }
    worker.arena->places[worker.index].count.store(count);
    worker.finish();
}

}  // namespace

void draw(const Worker& worker) {
    if (worker.role == file_role) {
        LockedFile file(worker.argument);
        return draw_until_stopped(worker, [&] { return file.try_acquire(); });
    }
    auto budget = must(ratecoord::Budget::attach(worker.argument));
    const auto cost = roomy_cost(budget, 3);
    draw_until_stopped(worker, [&] {
        const auto decision = budget.try_acquire(cost);
        return decision && *decision;
    });
}

Throughput measure(const std::string& role, const std::string& what, std::size_t processes,
                   std::chrono::milliseconds time) {
    Crew crew(role, what, processes);
    crew.begin(processes);
    const auto begun = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(time);
    crew.stop();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    crew.wait_until_finished(processes);
    std::uint64_t total = 0;
    auto poorest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 0; i < processes; ++i) {
        const auto count = crew.arena().places[i].count.load();
        total += count;
        poorest = std::min(poorest, count);
    }
    const auto fair = static_cast<double>(total) / static_cast<double>(processes);
    return {static_cast<double>(total) / took.count(), static_cast<double>(poorest) / fair};
}

}  // namespace bench
