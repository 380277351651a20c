// SPDX-License-Identifier: Apache-2.0
//
// The venue's side of one limit: what it admits, by its own rule.
//
// PROMISE  V1  Counts by the rule as the venue publishes it, knows neither slack nor pace, and
//              shares no code with the library: it judges it.
//          V2  What is rejected counts nothing.
// UNITS    Seconds, at most ten years. Windows of fixed limits begin at multiples of their length;
//          the other kinds count in nanoseconds, lest an exact pace be lost to rounding.
// SHARING  One thread. Arrivals come in order of time.
#pragma once

#include <cstdint>
#include <deque>

#include <ratecoord/limit.hpp>

namespace simulation {

class Venue {
  public:
    /// Every request takes `cost` units. Needs a limit that can admit one.
    Venue(const ratecoord::LimitDefinition& limit, std::uint64_t cost);

    bool admit(double at);

  private:
    bool admit_fixed(double at);
    bool admit_rolling(std::int64_t at_ns);
    bool admit_bucket(std::int64_t at_ns);

    ratecoord::LimitDefinition limit_;
    std::uint64_t cost_;
    std::uint64_t most_;                 // requests a window
    double window_number_ = -1;          // fixed: the one that is counted
    std::uint64_t used_ = 0;             // fixed: requests in it
    std::deque<std::int64_t> admitted_;  // rolling: those of the last window
    // bucket: when nothing is owed any more, in nanoseconds times quota: whole numbers, all of
    // them.
    __int128 full_at_ = 0;
};

/// Earliest instant, in seconds, at which the last of `requests` requests can be admitted, whoever
/// sends them.
double earliest_last(const ratecoord::LimitDefinition& limit, std::uint64_t cost,
                     std::uint64_t requests);

}  // namespace simulation
