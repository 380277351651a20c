// SPDX-License-Identifier: Apache-2.0
//
// A clock that a test turns by hand.
//
// PROMISE  Stands still but for advance() and step_utc().
// SHARING  Any thread.
#pragma once

#include <atomic>

#include "segment/clock.hpp"

namespace ratecoord::testing {

class ManualClock final : public segment::Clock {
  public:
    explicit ManualClock(core::Instant boot = 1'000 * core::second_ns,
                         std::int64_t utc_offset = 1'700'000'000 * core::second_ns)
        : boot_(boot), utc_offset_(utc_offset) {}

    core::Instant boot() const noexcept override { return boot_.load(); }
    std::int64_t utc_offset() const noexcept override { return utc_offset_.load(); }

    void advance(std::int64_t by) { boot_ += by; }
    void step_utc(std::int64_t by) { utc_offset_ += by; }

  private:
    std::atomic<core::Instant> boot_;
    std::atomic<std::int64_t> utc_offset_;
};

}  // namespace ratecoord::testing
