// SPDX-License-Identifier: Apache-2.0
//
// Instants, and the one function that turns units into time.
//
// PROMISE  Nothing here overflows for operands in [-far, far]; beyond that results saturate.
// UNITS    Instants are nanoseconds of CLOCK_BOOTTIME unless a name says utc.
// ROUNDING units_to_time rounds up: slower than the rule by less than a nanosecond a request,
//          never faster (G1).
#pragma once

#include <algorithm>
#include <cstdint>

namespace ratecoord::core {

using Instant = std::int64_t;

/// Beyond every instant that can be meant (73 years), and small enough that sums of four cannot
/// overflow. Values read from a segment are clamped to it.
inline constexpr Instant far = Instant{1} << 61;
/// Latest reading of the boot clock that is believed: 36 years of uptime. Twice a tolerance away
/// from `far`.
inline constexpr Instant now_max = far / 2;
/// Wall clocks are ahead of boot clocks by at most this, the year 2079. A clock that claims more is
/// held there and runs on: its windows may be misplaced, the state stays sound.
inline constexpr std::int64_t utc_offset_max = far / 2 * 3;
inline constexpr std::int64_t year_ns = std::int64_t{366} * 24 * 3600 * 1'000'000'000;
inline constexpr std::int64_t millisecond_ns = 1'000'000;
inline constexpr std::int64_t second_ns = 1'000'000'000;

constexpr Instant saturate(Instant t) noexcept {
    return std::clamp(t, -far, far);
}

/// a + b, clamped to [-far, far]. Needs both operands inside that range.
constexpr Instant add(Instant a, Instant b) noexcept {
    return saturate(a + b);
}

constexpr std::int64_t sound_offset(std::int64_t utc_offset) noexcept {
    return std::clamp(utc_offset, -far, utc_offset_max);
}

/// Time that `units` stand for where `quota` units take `period`: units * period / quota, rounded
/// up, at most `far`. Needs period > 0 and quota > 0.
constexpr std::int64_t units_to_time(std::uint64_t units, std::int64_t period,
                                     std::uint64_t quota) noexcept {
    const auto product = static_cast<unsigned __int128>(units) * static_cast<std::uint64_t>(period);
    if ((product >> 64) == 0) {
        // The common case stays in one 64-bit division; the 128-bit one is a library call.
        const auto low = static_cast<std::uint64_t>(product);
        const auto quotient = low / quota + (low % quota != 0 ? 1 : 0);
        return quotient > static_cast<std::uint64_t>(far) ? far
                                                          : static_cast<std::int64_t>(quotient);
    }
    const auto quotient = product / quota + (product % quota != 0 ? 1 : 0);
    return quotient > static_cast<unsigned __int128>(far) ? far
                                                          : static_cast<std::int64_t>(quotient);
}

/// Units whose time has not come back when `time` is still owed: time * quota / period, rounded up.
constexpr std::uint64_t time_to_units(std::int64_t time, std::int64_t period,
                                      std::uint64_t quota) noexcept {
    if (time <= 0) return 0;
    const auto product = static_cast<unsigned __int128>(static_cast<std::uint64_t>(time)) * quota;
    const auto divisor = static_cast<std::uint64_t>(period);
    return static_cast<std::uint64_t>(product / divisor + (product % divisor != 0 ? 1 : 0));
}

/// Start of the window of length `window` that holds `utc`; right for instants before 1970 too.
constexpr Instant window_start(Instant utc, std::int64_t window) noexcept {
    const Instant rest = utc % window;
    return utc - (rest < 0 ? rest + window : rest);
}

}  // namespace ratecoord::core
