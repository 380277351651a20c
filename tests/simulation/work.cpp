// SPDX-License-Identifier: Apache-2.0
#include "simulation/work.hpp"

namespace simulation_test {

ratecoord::LimitDefinition limit(ratecoord::LimitKind kind, std::uint64_t quota,
                                 std::chrono::nanoseconds window, std::uint64_t burst) {
    ratecoord::LimitDefinition definition;
    definition.name = "requests";
    definition.kind = kind;
    definition.quota = quota;
    definition.window = window;
    definition.burst = burst;
    return definition;
}

simulation::Workload work(std::uint32_t workers, const ratecoord::LimitDefinition& limit,
                          std::uint32_t calls, double service_time) {
    simulation::Workload workload;
    workload.workers = workers;
    workload.limit = limit;
    workload.calls = calls;
    workload.service_time = service_time;
    return workload;
}

}  // namespace simulation_test
