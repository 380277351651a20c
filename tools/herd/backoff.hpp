// SPDX-License-Identifier: Apache-2.0
//
// Today's private retry loop: how long a client that was refused waits before it tries again.
//
//     v = min(cap, base * 2^n) for retry n, counted from 0
//     none          v
//     full          uniform(0, v)
//     equal         v / 2 + uniform(0, v / 2)
//     decorrelated  min(cap, uniform(base, 3 * previous wait)), the first previous wait being base
//
// PROMISE  B1  No wait is longer than `cap`, after however many retries: the exponent is bounded.
//          B2  Same seed, same waits.
// UNITS    Nanoseconds.
// SOURCE   The formulas of the AWS backoff simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

namespace herd {

enum class Jitter : std::uint8_t { none, full, equal, decorrelated };

std::optional<Jitter> jitter_named(std::string_view name);

struct BackoffRule {
    Jitter jitter = Jitter::full;
    std::int64_t base_ns = 500'000'000;
    std::int64_t cap_ns = 30'000'000'000;
};

class Backoff {
  public:
    Backoff(const BackoffRule& rule, std::uint64_t seed)
        : rule_(rule), previous_ns_(rule.base_ns), random_(seed) {}

    // The wait before the next retry.
    std::int64_t next_ns();

    // A new call begins: the first retry is number 0 again.
    void restart();

  private:
    std::int64_t uniform(std::int64_t least, std::int64_t most);
    std::int64_t capped_window() const;

    BackoffRule rule_;
    unsigned retries_ = 0;
    std::int64_t previous_ns_;
    std::mt19937_64 random_;
};

}  // namespace herd
