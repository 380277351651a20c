// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/standby.hpp>

#include <algorithm>
#include <utility>

namespace ratecoord {

bool Breaker::allows(BootTime now, BootTime& until) noexcept {
    const std::scoped_lock held(mutex_);
    if (rest_.count() == 0) return true;
    until = closed_until_;
    if (now < closed_until_) return false;
    // One goes; the others wait for what becomes of it.
    closed_until_ = now + rest_;
    is_tried_ = true;
    return true;
}

void Breaker::note_rejection(BootTime now) noexcept {
    const std::scoped_lock held(mutex_);
    if (rest_.count() != 0) {
        // Replies to what was under way when it broke say nothing new.
        if (!std::exchange(is_tried_, false)) return;
        rest_ = std::min(2 * rest_, policy_.rest_most);
    } else {
        if (++rejections_ < policy_.in_a_row) return;
        rest_ = policy_.rest;
    }
    closed_until_ = std::max(closed_until_, now + rest_);
}

void Breaker::note_acceptance() noexcept {
    const std::scoped_lock held(mutex_);
    rejections_ = 0;
    is_tried_ = false;
    rest_ = std::chrono::nanoseconds(0);
    closed_until_ = {};
}

BootTime FallbackBudget::book(BootTime now, BootTime deadline) noexcept {
    const std::int64_t earliest = now.time_since_epoch().count();
    std::int64_t next = next_.load(std::memory_order_relaxed);
    for (;;) {
        const std::int64_t at = std::max(next, earliest);
        const BootTime booked{std::chrono::nanoseconds(at)};
        if (booked > deadline) return booked;
        if (next_.compare_exchange_weak(next, at + policy_.between.count(),
                                        std::memory_order_relaxed)) {
            return booked;
        }
    }
}

}  // namespace ratecoord
