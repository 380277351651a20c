// SPDX-License-Identifier: Apache-2.0
#include "simulation/venue.hpp"

#include <algorithm>
#include <cmath>

namespace simulation {

namespace {

using ratecoord::LimitDefinition;
using ratecoord::LimitKind;

double seconds_of(std::chrono::nanoseconds duration) {
    return static_cast<double>(duration.count()) / 1e9;
}

// What a bucket holds: a definition leaves it out where it is the quota.
std::uint64_t capacity_of(const LimitDefinition& limit) {
    return limit.burst != 0 ? limit.burst : limit.quota;
}

}  // namespace

Venue::Venue(const LimitDefinition& limit, std::uint64_t cost)
    : limit_(limit), cost_(cost), most_(limit.quota / cost) {}

bool Venue::admit(double at) {
    if (limit_.kind == LimitKind::fixed) return admit_fixed(at);
    const std::int64_t at_ns = std::llround(at * 1e9);
    return limit_.kind == LimitKind::bucket ? admit_bucket(at_ns) : admit_rolling(at_ns);
}

bool Venue::admit_fixed(double at) {
    const double number = std::floor(at / seconds_of(limit_.window));
    if (number != window_number_) {
        window_number_ = number;
        used_ = 0;
    }
    if (used_ >= most_) return false;
    ++used_;
    return true;
}

bool Venue::admit_rolling(std::int64_t at_ns) {
    const std::int64_t window_ns = limit_.window.count();
    while (!admitted_.empty() && at_ns - admitted_.front() >= window_ns) admitted_.pop_front();
    if (admitted_.size() >= most_) return false;
    admitted_.push_back(at_ns);
    return true;
}

bool Venue::admit_bucket(std::int64_t at_ns) {
    const auto times = [](std::int64_t a, std::uint64_t b) {
        return static_cast<__int128>(a) * static_cast<__int128>(b);
    };
    const auto now = times(at_ns, limit_.quota);
    const auto next = std::max(full_at_, now) + times(limit_.window.count(), cost_);
    if (next - now > times(limit_.window.count(), capacity_of(limit_))) return false;
    full_at_ = next;
    return true;
}

double earliest_last(const LimitDefinition& limit, std::uint64_t cost, std::uint64_t requests) {
    const double window = seconds_of(limit.window);
    if (limit.kind != LimitKind::bucket) {
        const std::uint64_t a_window = limit.quota / cost;
        return static_cast<double>((requests - 1) / a_window) * window;
    }
    const double units = static_cast<double>(requests) * static_cast<double>(cost);
    const double missing = std::max(0.0, units - static_cast<double>(capacity_of(limit)));
    return missing * window / static_cast<double>(limit.quota);
}

}  // namespace simulation
