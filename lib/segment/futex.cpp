// SPDX-License-Identifier: Apache-2.0
#include "segment/futex.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "segment/clock.hpp"
#include "segment/steps.hpp"

namespace ratecoord::segment {

FutexEnd futex_wait(std::uint32_t* word, std::uint32_t expected, std::int64_t until) noexcept {
    if (until < 0) until = 0;
    const timespec time{.tv_sec = until / core::second_ns, .tv_nsec = until % core::second_ns};
    const auto rc = ::syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, &time, nullptr,
                              FUTEX_BITSET_MATCH_ANY);
    if (rc == 0) return FutexEnd::woken;
    switch (errno) {
        case EAGAIN:
            return FutexEnd::changed;
        case ETIMEDOUT:
            return FutexEnd::timed_out;
        case EFAULT:
            return FutexEnd::lost;
        default:
            return FutexEnd::woken;
    }
}

int futex_wake(std::uint32_t* word, int waiters) noexcept {
    return static_cast<int>(::syscall(SYS_futex, word, FUTEX_WAKE, waiters, nullptr, nullptr, 0));
}

void SystemSteps::yield() noexcept {
    ::sched_yield();
}

std::int64_t SystemSteps::monotonic() noexcept {
    return monotonic_now();
}

void SystemSteps::sleep(std::uint32_t* word, std::uint32_t expected, std::int64_t until) noexcept {
    futex_wait(word, expected, until);
}

int SystemSteps::wake(std::uint32_t* word, int waiters) noexcept {
    return futex_wake(word, waiters);
}

}  // namespace ratecoord::segment
