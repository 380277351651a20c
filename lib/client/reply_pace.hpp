// SPDX-License-Identifier: Apache-2.0
//
// Whether replies come within the slack: their p99, a hundred replies at a time.
//
// PROMISE  Tells once when a hundred become slow (more than one of them late), and again only after
//          a hundred that were not.
// SHARING  Any thread at once; with several, a reply may count in the hundred beside its own.
#pragma once

#include <atomic>
#include <cstdint>

namespace ratecoord::client {

class ReplyPace {
  public:
    static constexpr std::uint32_t window = 100;

    /// Counts one reply. Returns how many of the last hundred were late where they just became
    /// slow; else 0.
    std::uint32_t add(bool late) noexcept {
        if (late) late_.fetch_add(1, std::memory_order_relaxed);
        if ((replies_.fetch_add(1, std::memory_order_relaxed) + 1) % window != 0) return 0;
        const auto count = late_.exchange(0, std::memory_order_relaxed);
        const bool slow = count * 100 > window;
        const bool was_slow = slow_.exchange(slow, std::memory_order_relaxed);
        return slow && !was_slow ? count : 0;
    }

  private:
    std::atomic<std::uint32_t> replies_{0};
    std::atomic<std::uint32_t> late_{0};
    std::atomic<bool> slow_{false};
};

}  // namespace ratecoord::client
