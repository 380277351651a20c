// SPDX-License-Identifier: Apache-2.0
#include "ratectl/wall_clock.hpp"

#include <nlohmann/json.hpp>

namespace ratectl {

using ratecoord::grammar::UtcTime;

WallClock WallClock::read() {
    const auto boot = nanoseconds_of(ratecoord::BootClock::now());
    const auto utc =
        std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
    return {boot, utc.time_since_epoch().count() - boot};
}

UtcTime WallClock::utc(std::int64_t boot_ns) const {
    std::int64_t ns = 0;
    // A pause may last "for ever"; the calendar does not.
    if (__builtin_add_overflow(boot_ns, offset_ns_, &ns)) ns = INT64_MAX - 1'000'000'000;
    return UtcTime{std::chrono::nanoseconds{ns}};
}

std::int64_t WallClock::boot_ns(UtcTime at) const {
    return at.time_since_epoch().count() - offset_ns_;
}

std::string WallClock::text(std::int64_t boot_ns) const {
    return ratecoord::grammar::format_instant(utc(boot_ns));
}

Json WallClock::value(std::int64_t boot_ns) const {
    if (boot_ns == 0) return {};
    return ratecoord::grammar::format_instant_ms(utc(boot_ns));
}

std::int64_t nanoseconds_of(ratecoord::BootTime at) {
    return at.time_since_epoch().count();
}

ratecoord::BootTime boot_time(std::int64_t ns) {
    return ratecoord::BootTime{std::chrono::nanoseconds{ns}};
}

}  // namespace ratectl
