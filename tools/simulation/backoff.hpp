// SPDX-License-Identifier: Apache-2.0
//
// How long a worker on its own waits before it tries again.
//
//     v = min(cap, base * 2^n) for retry n, counted from 0
//     none          v
//     full          uniform(0, v)
//     equal         v / 2 + uniform(0, v / 2)
//     decorrelated  min(cap, uniform(base, 3 * previous wait)), the first previous wait being base
//
// PROMISE  P2  Every wait is the double that Python computes for it. That is why these are doubles;
//              what sends requests counts in nanoseconds.
// UNITS    Seconds.
// SHARING  Values; the numbers come from the generator handed in.
// SOURCE   The formulas of the AWS backoff simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "simulation/python_random.hpp"

namespace simulation {

enum class Jitter : std::uint8_t { none, full, equal, decorrelated };

std::optional<Jitter> jitter_named(std::string_view name);
std::string_view name_of(Jitter jitter) noexcept;

struct BackoffRule {
    Jitter jitter = Jitter::full;
    double base = 0.5;
    double cap = 30;
};

class Backoff {
  public:
    explicit Backoff(const BackoffRule& rule) : last_(rule.base) {}

    /// The wait before the next retry, by the rule it was made for.
    double next(const BackoffRule& rule, PythonRandom& random);

  private:
    int retries_ = 0;
    double last_;
};

}  // namespace simulation
