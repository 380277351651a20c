// SPDX-License-Identifier: Apache-2.0
//
// Retries in several layers on top of each other, on a venue that is dead.
//
//     a library that retries inside a wrapper that retries: each layer of r retries sends what is
//     below it 1 + r times, so that one failed batch of w workers is w * (1 + r)^layers requests
//
// PROMISE  P11 Without a retry budget it is exactly that many.
//          P12 With the host-wide one, the core's own, at most workers + units / price requests,
//              whatever the layers: every retry of each draws from it, and where it is empty the
//              layer gives up.
// TIME     Virtual. All workers begin at 0.
// UNITS    Seconds.
// SHARING  Pure functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>

#include "simulation/backoff.hpp"
#include "simulation/timeline.hpp"

namespace simulation {

struct Storm {
    std::uint32_t workers = 40;
    std::uint32_t layers = 2;
    std::uint32_t retries = 3;  ///< of each layer
    double service_time = 0;    ///< until a request has failed
    BackoffRule backoff;        ///< of each layer, from its first retry on
    std::uint64_t seed = 0;

    /// w * (1 + r)^layers; none where it does not fit 64 bits.
    std::optional<std::uint64_t> requests_without_budget() const;
};

struct StormRun {
    std::uint64_t requests = 0;
    std::uint64_t retries_refused = 0;  ///< by the retry budget
    double last_request = 0;
    Timeline timeline;  ///< all of them rejected
};

/// No retry budget where `price` is 0. Needs requests_without_budget() to be a number that one can
/// wait for.
StormRun run_storm(const Storm& storm, std::uint32_t price);

}  // namespace simulation
