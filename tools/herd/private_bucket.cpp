// SPDX-License-Identifier: Apache-2.0
#include "herd/private_bucket.hpp"

#include <algorithm>

namespace herd {

namespace {

std::int64_t multiply_divide(std::uint64_t a, std::int64_t b, std::uint64_t c, bool up) {
    const auto product = static_cast<unsigned __int128>(a) * static_cast<std::uint64_t>(b);
    return static_cast<std::int64_t>((product + (up ? c - 1 : 0)) / c);
}

}  // namespace

void PrivateBucket::refill(std::int64_t now_ns) {
    if (now_ns <= refilled_at_ns_) return;
    const std::int64_t passed = now_ns - refilled_at_ns_;
    const auto window = static_cast<std::uint64_t>(rule_.window_ns);
    const auto gained =
        static_cast<std::uint64_t>(multiply_divide(rule_.units, passed, window, false));
    if (gained == 0) return;
    // Only the time that made whole units is spent.
    refilled_at_ns_ += multiply_divide(gained, rule_.window_ns, rule_.units, true);
    const std::uint64_t paid = std::min(owed_, gained);
    owed_ -= paid;
    units_ = std::min(rule_.burst, units_ + (gained - paid));
}

std::int64_t PrivateBucket::take(std::uint64_t units, std::int64_t now_ns) {
    refill(now_ns);
    const std::uint64_t at_once = std::min(units_, units);
    units_ -= at_once;
    owed_ += units - at_once;
    if (owed_ == 0) return now_ns;
    return refilled_at_ns_ + multiply_divide(owed_, rule_.window_ns, rule_.units, true);
}

}  // namespace herd
