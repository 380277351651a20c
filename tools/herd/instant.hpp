// SPDX-License-Identifier: Apache-2.0
//
// The two clocks of the herd and the one place where it lets time pass.
//
// UNITS    Nanoseconds in 64 bits: they go into the log as they are. `boot` is CLOCK_BOOTTIME, as
//          in the library and in the mock venue's log; `utc` is used for window boundaries only.
#pragma once

#include <cstdint>

namespace herd {

inline constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t boot_now_ns();
std::int64_t utc_now_ns();

struct Instant {
    std::int64_t boot_ns = 0;
    std::int64_t utc_ns = 0;
};

Instant now();

// The next boundary of a UTC window that is at least `lead_ns` after `now`.
Instant next_boundary(const Instant& now, std::int64_t window_ns, std::int64_t lead_ns);

// Waits until `boot_ns` or until the other end of `stop_fd` is closed; false if it was closed.
bool wait_until(int stop_fd, std::int64_t boot_ns);

}  // namespace herd
