// SPDX-License-Identifier: Apache-2.0
#include "herd/instant.hpp"

#include <poll.h>
#include <time.h>

#include <cerrno>

namespace herd {

namespace {

std::int64_t read_clock(clockid_t clock) {
    ::timespec now{};
    ::clock_gettime(clock, &now);
    return now.tv_sec * second_ns + now.tv_nsec;
}

}  // namespace

std::int64_t boot_now_ns() {
    return read_clock(CLOCK_BOOTTIME);
}

std::int64_t utc_now_ns() {
    return read_clock(CLOCK_REALTIME);
}

Instant now() {
    const std::int64_t before = boot_now_ns();
    const std::int64_t utc = utc_now_ns();
    return {before + (boot_now_ns() - before) / 2, utc};
}

Instant next_boundary(const Instant& now, std::int64_t window_ns, std::int64_t lead_ns) {
    const std::int64_t windows = (now.utc_ns + lead_ns + window_ns - 1) / window_ns;
    const std::int64_t boundary = windows * window_ns;
    return {now.boot_ns + (boundary - now.utc_ns), boundary};
}

bool wait_until(int stop_fd, std::int64_t boot_ns) {
    for (;;) {
        const std::int64_t left = boot_ns - boot_now_ns();
        ::pollfd stop{stop_fd, POLLIN, 0};
        const std::int64_t wait = left > 0 ? left : 0;
        const ::timespec timeout{wait / second_ns, wait % second_ns};
        const int ready = ::ppoll(&stop, 1, &timeout, nullptr);
        if (ready > 0) return false;
        if (ready < 0 && errno != EINTR) return false;
        if (left <= 0) return true;
    }
}

}  // namespace herd
