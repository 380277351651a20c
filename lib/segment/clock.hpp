// SPDX-License-Identifier: Apache-2.0
//
// The one seam through which time enters.
//
// PROMISE  boot() is CLOCK_BOOTTIME: it runs through suspend and never steps. utc_offset() is what
//          must be added to it for UTC, from the tightest of three bracketed reads.
// UNITS    Nanoseconds.
// SHARING  Clocks are called by any thread at once.
#pragma once

#include <cstdint>

#include "core/time.hpp"

namespace ratecoord::segment {

class Clock {
  public:
    virtual ~Clock() = default;
    virtual core::Instant boot() const noexcept = 0;
    virtual std::int64_t utc_offset() const noexcept = 0;
};

class SystemClock final : public Clock {
  public:
    core::Instant boot() const noexcept override;
    std::int64_t utc_offset() const noexcept override;

    /// The one every caller gets who names none.
    static const SystemClock& instance() noexcept;
};

/// A deadline below 0 means that long from the moment it first matters: an uncontended commit then
/// needs no clock read for it.
inline core::Instant absolute(core::Instant deadline, const Clock& clock) noexcept {
    return deadline < 0 ? clock.boot() - deadline : deadline;
}

/// CLOCK_MONOTONIC, the only clock a futex can wait on; never stored in a segment.
std::int64_t monotonic_now() noexcept;

}  // namespace ratecoord::segment
