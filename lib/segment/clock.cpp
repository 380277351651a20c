// SPDX-License-Identifier: Apache-2.0
#include "segment/clock.hpp"

#include <ctime>

namespace ratecoord::segment {
namespace {

std::int64_t read(clockid_t id) noexcept {
    timespec time{};
    ::clock_gettime(id, &time);
    return static_cast<std::int64_t>(time.tv_sec) * core::second_ns + time.tv_nsec;
}

}  // namespace

core::Instant SystemClock::boot() const noexcept {
    return read(CLOCK_BOOTTIME);
}

std::int64_t SystemClock::utc_offset() const noexcept {
    // A process may be stopped between two reads; the tightest bracket is the one to believe.
    std::int64_t narrowest = core::far;
    std::int64_t offset = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto before = read(CLOCK_BOOTTIME);
        const auto real = read(CLOCK_REALTIME);
        const auto after = read(CLOCK_BOOTTIME);
        if (after - before < narrowest) {
            narrowest = after - before;
            offset = real - (before + (after - before) / 2);
        }
    }
    return offset;
}

const SystemClock& SystemClock::instance() noexcept {
    static const SystemClock clock;
    return clock;
}

std::int64_t monotonic_now() noexcept {
    return read(CLOCK_MONOTONIC);
}

}  // namespace ratecoord::segment
