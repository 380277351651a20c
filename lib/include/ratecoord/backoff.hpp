// SPDX-License-Identifier: Apache-2.0
//
// How long to wait before trying again where nobody else has said it.
//
//     ratecoord::Backoff slow{.jitter = ratecoord::Jitter::equal, .base = 1s, .cap = 60s};
//
// PROMISE  With v = min(cap, base * factor^n), the wait before retry n (from 0) is
//              none           v
//              full           uniform(0, v)
//              equal          v/2 + uniform(0, v/2)
//              decorrelated   min(cap, uniform(base, 3 * the wait before))
//          never shorter than `least`, never longer than `cap`. The exponent stops at 60. An
//          instant that a venue named is a floor: these waits are added to it.
// UNITS    Typed time; the factor in thousandths.
// SHARING  Values.
// SOURCE   Marc Brooker's simulator, aws-samples/aws-arch-backoff-simulator.
#pragma once

#include <chrono>
#include <cstdint>

namespace ratecoord {

enum class Jitter : std::uint8_t {
    none,          ///< all that failed together come back together
    full,          ///< least work in all
    equal,         ///< at least half: bounds how many tries a time can hold
    decorrelated,  ///< grows from its own last wait
};
const char* name_of(Jitter jitter) noexcept;

struct Backoff {
    Jitter jitter = Jitter::full;
    std::chrono::nanoseconds base{500'000'000};
    std::chrono::nanoseconds cap{30'000'000'000};
    std::chrono::nanoseconds least{1};
    std::uint32_t factor_milli = 2'000;  ///< below 1,000 counts as 1,000
};

/// The host-wide retry budget, counted as the AWS SDKs do.
namespace retry_units {
inline constexpr std::uint32_t full = 500;
inline constexpr std::uint32_t retry = 5;
inline constexpr std::uint32_t retry_after_timeout = 10;
inline constexpr std::uint32_t first_success = 1;  ///< what a success without a retry gives back
}  // namespace retry_units

}  // namespace ratecoord
