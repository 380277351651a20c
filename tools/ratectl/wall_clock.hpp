// SPDX-License-Identifier: Apache-2.0
//
// From the library's clock to the one people read, and back.
//
// UNITS    `boot` instants are nanoseconds of CLOCK_BOOTTIME, as in a Snapshot.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <ratecoord/permit.hpp>

#include "grammar/instant.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

class WallClock {
  public:
    /// Both clocks, read now.
    static WallClock read();
    WallClock(std::int64_t boot_now_ns, std::int64_t utc_offset_ns)
        : now_ns_(boot_now_ns), offset_ns_(utc_offset_ns) {}

    std::int64_t now_ns() const { return now_ns_; }
    std::int64_t left_ns(std::int64_t boot_ns) const { return boot_ns - now_ns_; }
    ratecoord::grammar::UtcTime utc(std::int64_t boot_ns) const;
    std::int64_t boot_ns(ratecoord::grammar::UtcTime at) const;

    /// RFC 3339, whole seconds.
    std::string text(std::int64_t boot_ns) const;
    /// RFC 3339 with milliseconds; null for the instant 0, which means never.
    Json value(std::int64_t boot_ns) const;

  private:
    std::int64_t now_ns_;
    std::int64_t offset_ns_;
};

std::int64_t nanoseconds_of(ratecoord::BootTime at);
ratecoord::BootTime boot_time(std::int64_t ns);

}  // namespace ratectl
