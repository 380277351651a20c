// SPDX-License-Identifier: Apache-2.0
//
// Orders the threads of one process: they share a slot and its two buffers.
//
// PROMISE  Uncontended, two atomic operations. Nobody waits beyond the deadline given. A forked
//          child, whose other threads are gone, makes it anew.
//          Why not std::timed_mutex: it cannot be made anew in a child of a parent that held it.
// UNITS    Nanoseconds of CLOCK_MONOTONIC.
// SHARING  Any thread of one process.
#pragma once

#include <atomic>
#include <cstdint>

namespace ratecoord::segment {

class LocalMutex {
  public:
    bool try_lock() noexcept {
        std::uint32_t expected = 0;
        return word_.compare_exchange_strong(expected, 1, std::memory_order_acquire,
                                             std::memory_order_relaxed);
    }

    bool lock_until(std::int64_t until) noexcept;

    void unlock() noexcept {
        if (word_.exchange(0, std::memory_order_release) == 2) wake_one();
    }

    /// In a forked child only, before a second thread exists.
    void make_anew() noexcept { word_.store(0, std::memory_order_relaxed); }

  private:
    void wake_one() noexcept;

    std::atomic<std::uint32_t> word_{0};  ///< 0 free, 1 held, 2 held and perhaps awaited
};

/// Holds a LocalMutex that is already locked.
class LocalHold {
  public:
    explicit LocalHold(LocalMutex& mutex) noexcept : mutex_(mutex) {}
    ~LocalHold() { mutex_.unlock(); }
    LocalHold(const LocalHold&) = delete;
    LocalHold& operator=(const LocalHold&) = delete;

  private:
    LocalMutex& mutex_;
};

}  // namespace ratecoord::segment
