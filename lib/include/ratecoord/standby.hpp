// SPDX-License-Identifier: Apache-2.0
//
// Two things a bot keeps ready for bad hours: a breaker for requests that are rejected again and
// again, and a pace of its own for cancels while the shared budget cannot be had.
//
// PROMISE  Breaker: after `in_a_row` rejections without an acceptance between them it lets nothing
//          through for `rest`, then one; if that is rejected too, the rest doubles. Venues ban for
//          errors as well as for rate.
//          FallbackBudget: at most one request per `between`, from the whole process. It never
//          opens positions: whoever cannot read the halt takes it for set (G7).
// UNITS    Typed time.
// SHARING  Any thread at once; one object for the process. They must outlive the policies that name
//          them.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include <ratecoord/permit.hpp>

namespace ratecoord {

class Breaker {
  public:
    struct Policy {
        std::uint32_t in_a_row = 10;
        std::chrono::nanoseconds rest{60'000'000'000};
        std::chrono::nanoseconds rest_most{3'600'000'000'000};
    };
    Breaker() = default;
    explicit Breaker(Policy policy) : policy_(policy) {}

    /// Whether a request may be tried; if not, `until` is when.
    bool allows(BootTime now, BootTime& until) noexcept;
    void note_rejection(BootTime now) noexcept;
    void note_acceptance() noexcept;

  private:
    Policy policy_;
    std::mutex mutex_;
    std::uint32_t rejections_ = 0;      // guarded by mutex_, as what follows
    std::chrono::nanoseconds rest_{0};  // 0: not broken
    bool is_tried_ = false;             // the one request after a rest is under way
    BootTime closed_until_{};
};

class FallbackBudget {
  public:
    struct Policy {
        std::chrono::nanoseconds between{1'000'000'000};
        bool for_closes = true;
        bool for_reads = true;
    };
    FallbackBudget() = default;
    explicit FallbackBudget(Policy policy) : policy_(policy) {}

    bool serves(Intent intent) const noexcept {
        return (intent == Intent::close && policy_.for_closes) ||
               (intent == Intent::read && policy_.for_reads);
    }
    /// Books the next instant at which a request may go; later than `deadline`: books nothing and
    /// says when it would be.
    BootTime book(BootTime now, BootTime deadline) noexcept;

  private:
    Policy policy_;
    std::atomic<std::int64_t> next_{0};
};

}  // namespace ratecoord
