// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/counting.hpp"

#include <algorithm>
#include <limits>

namespace mock_venue {

namespace {

// Units come from requests, so their sums must not wrap around to "nothing used".
std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

bool fits(std::uint64_t used, std::uint64_t units, std::uint64_t quota) {
    return used <= quota && units <= quota - used;
}

}  // namespace

const std::deque<ClosedWindow>& Counter::closed_windows() const {
    static const std::deque<ClosedWindow> none;
    return none;
}

void FixedWindow::enter_window(Instant now) {
    constexpr std::size_t remembered = 1000;
    const Instant start = now - (now.time_since_epoch() % window_);
    if (start <= start_) return;
    if (start_ != Instant{}) {
        closed_.push_back({start_, used_});
        if (closed_.size() > remembered) closed_.pop_front();
    }
    start_ = start;
    used_ = 0;
}

Nanos FixedWindow::wait(std::uint64_t units, Instant now) {
    enter_window(now);
    return fits(used_, units, quota_) ? Nanos::zero() : start_ + window_ - now;
}

void FixedWindow::charge(std::uint64_t units, Instant now) {
    enter_window(now);
    used_ = saturating_add(used_, units);
}

std::uint64_t FixedWindow::used(Instant now) {
    enter_window(now);
    return used_;
}

Instant FixedWindow::reset_at(Instant now) {
    enter_window(now);
    return used_ == 0 ? now : start_ + window_;
}

void FixedWindow::set_quota(std::uint64_t quota, std::uint64_t /*burst*/, Instant now) {
    enter_window(now);
    quota_ = quota;
}

Instant RollingWindow::forget_old(Instant now) {
    last_ = std::max(last_, now);
    // A charge at t and one at t + W lie in no common half-open window.
    while (!charges_.empty() && charges_.front().at + window_ <= last_) {
        used_ -= charges_.front().units;
        charges_.pop_front();
    }
    return last_;
}

Nanos RollingWindow::wait(std::uint64_t units, Instant now) {
    const Instant effective = forget_old(now);
    std::uint64_t left = used_;
    Instant free_at = effective;
    for (const Charge& charge : charges_) {
        if (fits(left, units, quota_)) break;
        left -= charge.units;
        free_at = charge.at + window_;
    }
    if (!fits(left, units, quota_)) return std::max(free_at, effective + window_) - now;
    return free_at == effective ? Nanos::zero() : free_at - now;
}

void RollingWindow::charge(std::uint64_t units, Instant now) {
    const Instant effective = forget_old(now);
    // What no longer fits in the sum is dropped from the charge too, so that forgetting it later
    // takes away exactly what was added.
    const std::uint64_t added = saturating_add(used_, units) - used_;
    if (added == 0) return;
    if (!charges_.empty() && charges_.back().at == effective) {
        charges_.back().units += added;
    } else {
        charges_.push_back({effective, added});
    }
    used_ += added;
}

std::uint64_t RollingWindow::used(Instant now) {
    forget_old(now);
    return used_;
}

Instant RollingWindow::reset_at(Instant now) {
    forget_old(now);
    return charges_.empty() ? now : charges_.back().at + window_;
}

void RollingWindow::set_quota(std::uint64_t quota, std::uint64_t /*burst*/, Instant now) {
    forget_old(now);
    quota_ = quota;
}

TokenBucket::TokenBucket(std::uint64_t quota, Nanos window, std::uint64_t burst)
    : quota_(quota),
      window_ns_(static_cast<Wide>(window.count())),
      full_(burst * window_ns_),
      level_(full_) {}

Instant TokenBucket::refill(Instant now) {
    if (now <= last_) return last_;
    const auto elapsed = static_cast<Wide>((now - last_).count());
    level_ = std::min(full_, level_ + elapsed * quota_);
    last_ = now;
    return now;
}

Nanos TokenBucket::time_to_regain(Wide missing) const {
    // Ten years stand for "longer than anyone waits"; more could overflow an instant.
    constexpr Wide longest = Nanos{std::chrono::days{3660}}.count();
    return Nanos{static_cast<std::int64_t>(std::min((missing + quota_ - 1) / quota_, longest))};
}

Nanos TokenBucket::wait(std::uint64_t units, Instant now) {
    const Instant effective = refill(now);
    const Wide needed = std::min(units * window_ns_, full_);
    if (units * window_ns_ <= level_) return Nanos::zero();
    // A full bucket that is still too small: the client is told one window, so that it does not
    // take "0 s" for an invitation.
    if (needed <= level_) return Nanos{static_cast<std::int64_t>(window_ns_)};
    return effective - now + time_to_regain(needed - level_);
}

void TokenBucket::charge(std::uint64_t units, Instant now) {
    refill(now);
    level_ -= std::min(units * window_ns_, level_);
}

std::uint64_t TokenBucket::used(Instant now) {
    refill(now);
    return static_cast<std::uint64_t>((full_ - level_ + window_ns_ - 1) / window_ns_);
}

Instant TokenBucket::reset_at(Instant now) {
    return refill(now) + time_to_regain(full_ - level_);
}

void TokenBucket::set_quota(std::uint64_t quota, std::uint64_t burst, Instant now) {
    refill(now);
    // What is missing stays missing, so a larger bucket gives its new room at once and a smaller
    // one never more than it holds.
    const Wide missing = full_ - level_;
    quota_ = quota;
    full_ = burst * window_ns_;
    level_ = full_ - std::min(missing, full_);
}

std::unique_ptr<Counter> make_counter(const LimitSpec& limit) {
    switch (limit.kind) {
        case LimitKind::rolling:
            return std::make_unique<RollingWindow>(limit.quota, limit.window);
        case LimitKind::bucket:
            return std::make_unique<TokenBucket>(limit.quota, limit.window, limit.burst);
        case LimitKind::fixed:
            break;
    }
    return std::make_unique<FixedWindow>(limit.quota, limit.window);
}

}  // namespace mock_venue
