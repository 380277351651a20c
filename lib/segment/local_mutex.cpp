// SPDX-License-Identifier: Apache-2.0
#include "segment/local_mutex.hpp"

#include "segment/futex.hpp"
#include "segment/steps.hpp"

namespace ratecoord::segment {
namespace {

std::uint32_t* raw(std::atomic<std::uint32_t>& word) noexcept {
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
    return reinterpret_cast<std::uint32_t*>(&word);
}

}  // namespace

bool LocalMutex::lock_until(std::int64_t until) noexcept {
    for (int tries = 0; tries < 100; ++tries) {
        if (word_.load(std::memory_order_relaxed) == 0 && try_lock()) return true;
        SystemSteps::relax();
    }
    while (word_.exchange(2, std::memory_order_acquire) != 0) {
        if (SystemSteps::monotonic() >= until) return false;
        futex_wait(raw(word_), 2, until);
    }
    return true;
}

void LocalMutex::wake_one() noexcept {
    futex_wake(raw(word_), 1);
}

}  // namespace ratecoord::segment
