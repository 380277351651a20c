// SPDX-License-Identifier: Apache-2.0
//
// A token bucket that knows nothing of its neighbours: what every client of today carries, sure
// that it has the whole limit to itself.
//
// UNITS    Nanoseconds of one clock; units of whatever is counted.
// SHARING  One process; its threads take turns outside.
#pragma once

#include <cstdint>

namespace herd {

struct PrivateBucketRule {
    std::uint64_t units = 1;  // that come back per window
    std::int64_t window_ns = 1;
    std::uint64_t burst = 1;  // that it holds when full
};

class PrivateBucket {
  public:
    // Full at `now_ns`.
    PrivateBucket(const PrivateBucketRule& rule, std::int64_t now_ns)
        : rule_(rule), refilled_at_ns_(now_ns), units_(rule.burst) {}

    // Takes `units` and returns the instant from which they may be used. It goes into debt where
    // they are not there yet, so that callers leave in the order they came.
    std::int64_t take(std::uint64_t units, std::int64_t now_ns);

  private:
    void refill(std::int64_t now_ns);

    PrivateBucketRule rule_;
    std::int64_t refilled_at_ns_;  // the instant units_ was exact
    std::uint64_t units_;
    std::uint64_t owed_ = 0;
};

}  // namespace herd
