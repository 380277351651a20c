// SPDX-License-Identifier: Apache-2.0
//
// Workers that know nothing of each other: each sends, and backs off when it is rejected.
//
// PROMISE  P3  One limit of 10 a second, one call each and no service time give the runs of the
//              published script, digit for digit.
//          P4  Ends after `most` requests or ten years at the latest, and says so.
// TIME     Virtual: nothing waits. All workers begin at 0.
// UNITS    Seconds.
// SHARING  Pure functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>

#include <ratecoord/limit.hpp>

#include "simulation/backoff.hpp"
#include "simulation/timeline.hpp"

namespace simulation {

/// What is to be sent.
struct Workload {
    std::uint32_t workers = 1;
    std::uint32_t calls = 1;  ///< of each worker, one after the other
    ratecoord::LimitDefinition limit;
    std::uint32_t cost = 1;  ///< units of a request
    /// From sending to the reply. The request reaches the venue somewhere in between, any instant
    /// as likely as any other.
    double service_time = 0;

    std::uint64_t successes() const { return std::uint64_t{workers} * calls; }
};

/// What came of it.
struct Run {
    std::uint64_t requests = 0;
    std::uint64_t rejected = 0;
    std::uint64_t late = 0;   ///< reached the venue after their permit's valid_until
    double last_success = 0;  ///< when the venue admitted the last one
};

/// `timeline` may be null. None where it would take longer than P4 says.
std::optional<Run> run_herd(const Workload& workload, const BackoffRule& backoff,
                            std::uint64_t seed, std::uint64_t most, Timeline* timeline);

}  // namespace simulation
