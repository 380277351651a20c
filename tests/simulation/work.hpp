// SPDX-License-Identifier: Apache-2.0
//
// Limits and workloads as tests write them.
#pragma once

#include "simulation/herd.hpp"

namespace simulation_test {

ratecoord::LimitDefinition limit(ratecoord::LimitKind kind, std::uint64_t quota,
                                 std::chrono::nanoseconds window, std::uint64_t burst = 0);

simulation::Workload work(std::uint32_t workers, const ratecoord::LimitDefinition& limit,
                          std::uint32_t calls = 1, double service_time = 0);

}  // namespace simulation_test
