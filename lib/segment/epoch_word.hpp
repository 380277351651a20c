// SPDX-License-Identifier: Apache-2.0
//
// How waiters learn that the epoch in the published state was raised.
//
// PROMISE  E1  Once the word equals the published epoch it stays so until the next raise: whoever
//              changes it looked at it first, at root afterwards, and swaps what it saw. Who is
//              late swaps in vain. (The other order loses wakes: a process that stopped between its
//              looks puts an older epoch back after everybody was woken.)
//          E2  Whoever makes the word equal to a new epoch wakes all who sleep on an older one.
//          E3  A process that dies after it published and before it changed the word loses a wake
//              until the next commit, whatever that commit is about. One that dies between the
//              change and the wake loses it until the waiters' slice ends.
//
// STATE    The low half of the state's epoch. It is a hint: nobody decides by it.
// SHARING  The word belongs to every process; an object holds its address only.
#pragma once

#include <cstdint>
#include <limits>

#include "segment/published_state.hpp"

namespace ratecoord::segment {

template <class Steps = SystemSteps>
class EpochWord {
  public:
    enum class Look : std::uint8_t {
        moved,     ///< the epoch is another than the one seen
        current,   ///< it is the one seen: sleep on it
        repaired,  ///< likewise, after a wake that its committer never gave
    };

    explicit EpochWord(std::uint32_t* word) noexcept : word_(word) {}

    /// After a publication of `epoch`. One look where nothing was raised.
    void mirror(const PublishedState<Steps>& published, std::uint64_t epoch) noexcept {
        if (__atomic_load_n(word_, __ATOMIC_RELAXED) != static_cast<std::uint32_t>(epoch))
            [[unlikely]] {
            announce(published);
        }
    }

    /// Before a sleep on `epoch_seen`.
    Look look(const PublishedState<Steps>& published, std::uint64_t epoch_seen) noexcept {
        const auto seen = load_acquire(word_);
        Steps::at(Step::epoch_look);
        std::uint64_t epoch = 0;
        if (!published.epoch(epoch) || epoch != epoch_seen) return Look::moved;
        if (seen == static_cast<std::uint32_t>(epoch)) return Look::current;
        return swap(seen, epoch) ? Look::repaired : Look::current;
    }

  private:
    // Whoever moved root meanwhile mirrors it, and it holds our raise too.
    void announce(const PublishedState<Steps>& published) noexcept {
        for (;;) {
            const auto seen = load_acquire(word_);
            Steps::at(Step::epoch_look);
            std::uint64_t epoch = 0;
            if (!published.epoch(epoch) || seen == static_cast<std::uint32_t>(epoch)) return;
            if (swap(seen, epoch)) return;
        }
    }

    /// Changes the word and wakes, if it still is as it was seen. Acquire-release: a waiter that
    /// sees the word also sees the root that was published before it.
    bool swap(std::uint32_t seen, std::uint64_t epoch) noexcept {
        Steps::at(Step::announce);
        if (!__atomic_compare_exchange_n(word_, &seen, static_cast<std::uint32_t>(epoch), false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            return false;
        }
        Steps::at(Step::announced);
        Steps::wake(word_, std::numeric_limits<int>::max());
        return true;
    }

    std::uint32_t* word_;
};

}  // namespace ratecoord::segment
