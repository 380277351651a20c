// SPDX-License-Identifier: Apache-2.0
#include "core/backoff.hpp"

#include <algorithm>

#include "core/time.hpp"

namespace ratecoord {

const char* name_of(Jitter jitter) noexcept {
    switch (jitter) {
        case Jitter::none:
            return "none";
        case Jitter::full:
            return "full";
        case Jitter::equal:
            return "equal";
        case Jitter::decorrelated:
            return "decorrelated";
    }
    return "none";
}

}  // namespace ratecoord

namespace ratecoord::core {
namespace {

constexpr std::int64_t exponent_max = 60;

struct Bounds {
    std::int64_t base;
    std::int64_t cap;
    std::int64_t least;
};

Bounds bounds_of(const Backoff& policy) noexcept {
    const std::int64_t cap = std::clamp<std::int64_t>(policy.cap.count(), 1, far);
    return {std::clamp<std::int64_t>(policy.base.count(), 1, far), cap,
            std::clamp<std::int64_t>(policy.least.count(), 1, cap)};
}

}  // namespace

std::int64_t ceiling_ns(const Backoff& policy, std::int64_t retry) noexcept {
    const Bounds bounds = bounds_of(policy);
    const std::uint32_t factor = std::max(policy.factor_milli, std::uint32_t{1'000});
    std::int64_t ceiling = bounds.base;
    const std::int64_t steps = std::clamp<std::int64_t>(retry, 0, exponent_max);
    for (std::int64_t i = 0; i < steps && ceiling < bounds.cap; ++i) {
        ceiling = units_to_time(factor, ceiling, 1'000);
    }
    return std::clamp(ceiling, bounds.least, bounds.cap);
}

std::int64_t draw(std::int64_t least, std::int64_t most, std::uint64_t random) noexcept {
    const auto choices =
        static_cast<unsigned __int128>(static_cast<std::uint64_t>(most - least)) + 1;
    return least + static_cast<std::int64_t>(random * choices >> 64);
}

std::int64_t next_wait_ns(const Backoff& policy, BackoffRun& run, std::uint64_t random) noexcept {
    const Bounds bounds = bounds_of(policy);
    const std::int64_t ceiling = ceiling_ns(policy, run.retries);
    if (run.retries < UINT32_MAX) ++run.retries;
    std::int64_t wait = ceiling;
    switch (policy.jitter) {
        case Jitter::none:
            break;
        case Jitter::full:
            wait = draw(0, ceiling, random);
            break;
        case Jitter::equal:
            wait = draw(ceiling / 2, ceiling, random);
            break;
        case Jitter::decorrelated: {
            const std::int64_t last = run.last_ns > 0 ? run.last_ns : bounds.base;
            const std::int64_t most = units_to_time(3, last, 1);
            wait = draw(bounds.base, std::max(bounds.base, most), random);
            break;
        }
    }
    run.last_ns = std::clamp(wait, bounds.least, bounds.cap);
    return run.last_ns;
}

}  // namespace ratecoord::core
