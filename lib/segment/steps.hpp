// SPDX-License-Identifier: Apache-2.0
//
// The points at which another process may act, be killed or be stopped.
//
// The protocol is a template over Steps. The library uses SystemSteps: its points are empty and
// vanish, its waits are the system's. The simulation gives points that hand control to a seeded
// scheduler, so that it interleaves, kills and freezes the very code that ships.
//
// SHARING  Static members only; callable anywhere.
#pragma once

#include <cstdint>

namespace ratecoord::segment {

/// Named points, in the order in which one commit passes them.
enum class Step : std::uint8_t {
    lock_try,       ///< before the lock word is swapped
    lock_taken,     ///< after it became ours
    lock_wait,      ///< before sleeping for it
    lock_takeover,  ///< before it is taken from a holder that does not move
    root_read,      ///< after root was read
    word_in,        ///< before one word of the published buffer is read
    decide,         ///< before the decision
    word_out,       ///< before one word of our own buffer is written
    root_swap,      ///< before root is swapped
    root_swapped,   ///< after it
    unlock,         ///< before the lock word is freed
    unlocked,       ///< after it, before a waiter is woken
    epoch_look,     ///< between a look at the epoch word and one at root
    announce,       ///< before the epoch word is written
    announced,      ///< after it, before its waiters are woken
};

struct SystemSteps {
    static void at(Step) noexcept {}
    /// One try of a busy wait.
    static void relax() noexcept {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield" ::: "memory");
#endif
    }
    /// Gives the core to another process that can run.
    static void yield() noexcept;
    /// CLOCK_MONOTONIC.
    static std::int64_t monotonic() noexcept;
    /// Sleeps while *word == expected, until `until` (monotonic) at the latest. May return early.
    static void sleep(std::uint32_t* word, std::uint32_t expected, std::int64_t until) noexcept;
    /// How many were woken.
    static int wake(std::uint32_t* word, int waiters) noexcept;
};

}  // namespace ratecoord::segment
