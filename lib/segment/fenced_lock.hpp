// SPDX-License-Identifier: Apache-2.0
//
// The lock that orders writers and cannot wedge.
//
// PROMISE  F1  A free lock is taken by one compare-and-swap.
//          F2  A holder that keeps the same ticket for takeover_ns loses the lock to a waiter,
//              whether it is dead, stopped or only slow. Nobody is asked who it is.
//          F3  unlock() frees only what this object took: after a takeover it does nothing.
//          F4  Nobody waits beyond the deadline given.
//          F5  Under contention the core is given to somebody else after turn_length takings, so
//              that the scheduler's fairness is ours. (Queueing first come first, with one process
//              woken at a time, was tried: where cores are scarce the one woken waits for a core,
//              and those that run meanwhile take all.)
//          The lock is never needed for safety: publication is fenced by root (publication.hpp),
//          and a holder that lost the lock fails there. It exists so that short commits cannot
//          starve a long one. Why not a robust mutex: between pid namespaces the kernel takes one
//          process 1 for another and hands the lock over while its owner is inside.
//
// STATE    One 32-bit word: bit 0 waiters (somebody sleeps, perhaps), bits 1-13 slot+1 of the
//          holder (0: free), bits 14-31 the ticket, raised by every taking.
// UNITS    Nanoseconds of CLOCK_MONOTONIC.
// SHARING  An object belongs to one thread at a time; the word to every process.
#pragma once

#include <cstdint>
#include <utility>

#include "core/time.hpp"
#include "segment/steps.hpp"
#include "segment/words.hpp"

namespace ratecoord::segment {

inline constexpr std::int64_t takeover_ns = 5 * core::millisecond_ns;

/// Long against a change of process (some ten commits), short against the scheduler's own slice.
inline constexpr std::uint32_t turn_length = 512;

template <class Steps = SystemSteps>
class FencedLock {
  public:
    FencedLock() = default;
    /// `takeovers` counts them.
    FencedLock(std::uint32_t* word, std::uint32_t slot, std::uint64_t* takeovers) noexcept
        : word_(word), takeovers_(takeovers), holder_((slot + 1) << holder_shift) {}

    bool try_lock() noexcept {
        if (turn_ >= turn_length) give_way();
        const auto seen = __atomic_load_n(word_, __ATOMIC_RELAXED);
        return is_free(seen) && swap(seen, seen & waiters_bit);
    }

    void lock() noexcept { (void)lock_until(core::far); }

    /// False if `until` passed first.
    bool lock_until(std::int64_t until) noexcept {
        contended_ = true;
        // Ever more seldom: who has just committed has the state in its cache, and a look takes the
        // lock's line from it. Two that ask without pause take turns commit by commit, and most of
        // a commit is then the way from one cache to the other.
        for (int spent = 0, pauses = 1; spent < spin_pauses; spent += pauses) {
            if (try_lock()) return true;
            pauses = pauses < spin_pauses_at_once ? 2 * pauses : pauses;
            for (int i = 0; i < pauses; ++i) Steps::relax();
        }
        return lock_slowly(until);
    }

    /// Frees the lock unless it was taken over, and wakes one waiter if there may be one.
    void unlock() noexcept {
        Steps::at(Step::unlock);
        auto seen = mine_;
        while (!__atomic_compare_exchange_n(word_, &seen, mine_ & ticket_mask, false,
                                            __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
            if (((seen ^ mine_) & ~waiters_bit) != 0) return;  // F3
        }
        Steps::at(Step::unlocked);
        if ((seen & waiters_bit) != 0) {
            contended_ = true;
            Steps::wake(word_, 1);
        }
        if (contended_) ++turn_;
    }

    /// slot+1 of the holder that this object took the lock over from, once; else 0.
    std::uint32_t take_overtaken() noexcept { return std::exchange(overtaken_, 0U); }

    static constexpr std::uint32_t holder_of(std::uint32_t word) noexcept {
        return (word & holder_mask) >> holder_shift;
    }

  private:
    static constexpr std::uint32_t waiters_bit = 1;
    static constexpr std::uint32_t holder_shift = 1;
    static constexpr std::uint32_t holder_mask = 0x1fffU << holder_shift;
    static constexpr std::uint32_t ticket_unit = 1U << 14;
    static constexpr std::uint32_t ticket_mask = ~(ticket_unit - 1);
    // A commit takes a few hundred nanoseconds, a sleep and a wake several thousand.
    static constexpr int spin_pauses = 400;
    static constexpr int spin_pauses_at_once = 64;

    // Before a taking, never after one: the permit that was just drawn must not wait for this.
    void give_way() noexcept {
        turn_ = 0;
        contended_ = false;
        Steps::yield();  // F5
    }

    static bool is_free(std::uint32_t word) noexcept { return (word & holder_mask) == 0; }

    /// Takes the lock if the word is still `seen`. Acquires what the last holder published.
    bool swap(std::uint32_t seen, std::uint32_t waiters) noexcept {
        Steps::at(Step::lock_try);
        const auto taken = ((seen & ticket_mask) + ticket_unit) | holder_ | waiters;
        if (!__atomic_compare_exchange_n(word_, &seen, taken, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED)) {
            return false;
        }
        mine_ = taken;
        Steps::at(Step::lock_taken);
        return true;
    }

    // A waiter that slept takes the lock with the waiters bit set: others may still sleep, and one
    // wake too many is cheaper than one that is missing.
    bool lock_slowly(std::int64_t until) noexcept {
        auto watched = load_acquire(word_);
        auto since = Steps::monotonic();
        for (;;) {
            const auto seen = load_acquire(word_);
            if (is_free(seen)) {
                if (swap(seen, waiters_bit)) return true;
                continue;
            }
            const auto now = Steps::monotonic();
            if (((seen ^ watched) & ~waiters_bit) != 0) {
                watched = seen;
                since = now;
            } else if (now - since >= takeover_ns) {
                Steps::at(Step::lock_takeover);
                if (!swap(seen, waiters_bit)) continue;
                __atomic_fetch_add(takeovers_, 1, __ATOMIC_RELAXED);
                overtaken_ = holder_of(seen);
                return true;
            }
            if (now >= until) return false;
            sleep(seen, since + takeover_ns < until ? since + takeover_ns : until);
        }
    }

    void sleep(std::uint32_t seen, std::int64_t until) noexcept {
        if ((seen & waiters_bit) == 0 &&
            !__atomic_compare_exchange_n(word_, &seen, seen | waiters_bit, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED)) {
            return;
        }
        Steps::at(Step::lock_wait);
        Steps::sleep(word_, seen | waiters_bit, until);
    }

    std::uint32_t* word_ = nullptr;
    std::uint64_t* takeovers_ = nullptr;
    std::uint32_t holder_ = 0;
    std::uint32_t mine_ = 0;
    std::uint32_t overtaken_ = 0;
    std::uint32_t turn_ = 0;  ///< takings since the core was last given away
    bool contended_ = false;  ///< somebody else wanted the lock in this turn
};

}  // namespace ratecoord::segment
