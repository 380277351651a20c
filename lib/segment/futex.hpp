// SPDX-License-Identifier: Apache-2.0
//
// Sleeping on a word that other processes change.
//
// PROMISE  Never FUTEX_PRIVATE_FLAG: the key is inode and offset, which is the same in every
//          container that maps the file.
// TIME     CLOCK_MONOTONIC, absolute; the kernel takes no BOOTTIME here, so callers keep deadlines
//          in BOOTTIME and sleep in slices of at most a second.
// SHARING  Callable anywhere; no allocation.
#pragma once

#include <cstdint>

namespace ratecoord::segment {

enum class FutexEnd : std::uint8_t {
    woken,    ///< by a wake, a signal or for no reason: look again
    changed,  ///< the word was not `expected` to begin with
    timed_out,
    lost,  ///< the page behind the word is gone
};

FutexEnd futex_wait(std::uint32_t* word, std::uint32_t expected, std::int64_t until) noexcept;

/// Wakes at most `waiters`; returns how many.
int futex_wake(std::uint32_t* word, int waiters) noexcept;

}  // namespace ratecoord::segment
