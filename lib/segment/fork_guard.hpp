// SPDX-License-Identifier: Apache-2.0
//
// Notices that this process is a child that inherited a segment.
//
// PROMISE  is_ours() is false in every child made by fork, vfork with its own memory, or a raw
//          clone, until renew(): the word stands on a page the kernel wipes (MADV_WIPEONFORK).
//          After fork(3), the child closes the inherited descriptor at once: an open copy of it
//          would keep the parent's slot locked beyond the parent's death. It never unlocks
//          anything: the locks are the parent's.
// SHARING  is_ours() by any thread. Watching and unwatching may run beside fork.
#pragma once

#include <atomic>
#include <cstdint>

#include "segment/local_mutex.hpp"
#include "segment/mapping.hpp"

namespace ratecoord::segment {

class ForkGuard {
  public:
    ForkGuard();
    ~ForkGuard();
    ForkGuard(const ForkGuard&) = delete;
    ForkGuard& operator=(const ForkGuard&) = delete;

    /// Whether the page could be had; without it no fork would be noticed.
    bool works() const noexcept { return page_ != nullptr; }

    bool is_ours() const noexcept { return page_->load(std::memory_order_acquire) == whole; }

    /// True for the one thread of a child that shall attach anew; others get false, and wait.
    bool begin_renewal() noexcept;
    void renew() noexcept { page_->store(whole, std::memory_order_release); }
    /// Lets the next caller try.
    void abandon_renewal() noexcept { page_->store(0, std::memory_order_release); }

    /// From now on a forked child closes `file` and makes `mutex` anew. Both must outlive this.
    void watch(FileDescriptor& file, LocalMutex& mutex);
    /// Puts `fresh` in the watched descriptor's place.
    void replace(FileDescriptor fresh) noexcept;
    /// Forgets the watched descriptor without closing it: its number is somebody else's.
    void disown() noexcept;

  private:
    friend struct ForkHandlers;
    static constexpr std::uint32_t whole = 1;
    static constexpr std::uint32_t renewing = 2;

    std::atomic<std::uint32_t>* page_ = nullptr;
    FileDescriptor* file_ = nullptr;
    LocalMutex* mutex_ = nullptr;
    ForkGuard* next_ = nullptr;
};

}  // namespace ratecoord::segment
