// SPDX-License-Identifier: Apache-2.0
//
// The waits of ratecoord/backoff.hpp in whole nanoseconds.
//
// PROMISE  W1  0 < wait <= cap, and wait >= least where least <= cap.
//          W2  ceiling() never falls while the retry grows, and is cap from some retry on where the
//              factor is 2 or more.
//          W3  No value of policy, retry or random overflows: all are clamped.
// UNITS    Nanoseconds. `random` is 64 uniform bits.
// SHARING  Pure functions of values; the caller brings the random bits.
#pragma once

#include <cstdint>

#include <ratecoord/backoff.hpp>

namespace ratecoord::core {

/// One run of failures: starts anew with every call, and after a success.
struct BackoffRun {
    std::uint32_t retries = 0;
    std::int64_t last_ns = 0;  ///< the wait before; 0: none yet
};

/// v of retry `retry`; a negative one counts as 0.
std::int64_t ceiling_ns(const Backoff& policy, std::int64_t retry) noexcept;

/// The wait before the next retry; counts it.
std::int64_t next_wait_ns(const Backoff& policy, BackoffRun& run, std::uint64_t random) noexcept;

/// A number of [least, most], each as likely. Needs 0 <= least <= most.
std::int64_t draw(std::int64_t least, std::int64_t most, std::uint64_t random) noexcept;

}  // namespace ratecoord::core
