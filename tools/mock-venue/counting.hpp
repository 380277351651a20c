// SPDX-License-Identifier: Apache-2.0
//
// How the venue counts: the three kinds of window, each written straight from its definition.
//
// PROMISE  V1  fixed:   in each window [k*W, (k+1)*W) of the UTC clock, charges that had wait 0
//                       sum to at most the quota.
//          V2  rolling: the same for every half-open window of length W, wherever it starts.
//          V3  bucket:  holds at most `burst` units, starts full and regains quota/W units per
//                       nanosecond, without rounding.
//          V4  wait(units, now) is exact: charging at now + wait fits, one nanosecond sooner does
//                       not, if nothing else is charged in between and the units can ever fit.
//
// These counters judge clients that budget their own requests, so they share no code and no
// formula with any of them: no GCRA, no derived rates, arrivals are simply remembered.
//
// TIME     `now` is an argument. A reading before the last one counts as the last one.
// UNITS    Units in 64 bits, durations in nanoseconds, products in 128 bits. No floating point.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "mock-venue/limit_spec.hpp"

namespace mock_venue {

struct ClosedWindow {
    Instant start;
    std::uint64_t used = 0;
};

class Counter {
  public:
    virtual ~Counter() = default;

    // Zero if `units` fit at `now`, else the time until they would. Units that can never fit wait
    // for the time after which nothing more can be gained.
    virtual Nanos wait(std::uint64_t units, Instant now) = 0;

    // Counts `units`, whether they fit or not.
    virtual void charge(std::uint64_t units, Instant now) = 0;

    // Units in use at `now`; of a bucket, those missing from a full one, rounded up.
    virtual std::uint64_t used(Instant now) = 0;

    // The instant from which everything charged up to `now` no longer counts.
    virtual Instant reset_at(Instant now) = 0;

    // Changes the rule for what comes next; what was counted stays counted.
    virtual void set_quota(std::uint64_t quota, std::uint64_t burst, Instant now) = 0;

    // Windows that have ended, oldest first, at most the last thousand; empty unless fixed.
    virtual const std::deque<ClosedWindow>& closed_windows() const;
};

class FixedWindow final : public Counter {
  public:
    FixedWindow(std::uint64_t quota, Nanos window) : quota_(quota), window_(window) {}

    Nanos wait(std::uint64_t units, Instant now) override;
    void charge(std::uint64_t units, Instant now) override;
    std::uint64_t used(Instant now) override;
    Instant reset_at(Instant now) override;
    void set_quota(std::uint64_t quota, std::uint64_t burst, Instant now) override;
    const std::deque<ClosedWindow>& closed_windows() const override { return closed_; }

  private:
    void enter_window(Instant now);

    std::uint64_t quota_;
    Nanos window_;
    Instant start_{};
    std::uint64_t used_ = 0;
    std::deque<ClosedWindow> closed_;
};

class RollingWindow final : public Counter {
  public:
    RollingWindow(std::uint64_t quota, Nanos window) : quota_(quota), window_(window) {}

    Nanos wait(std::uint64_t units, Instant now) override;
    void charge(std::uint64_t units, Instant now) override;
    std::uint64_t used(Instant now) override;
    Instant reset_at(Instant now) override;
    void set_quota(std::uint64_t quota, std::uint64_t burst, Instant now) override;

  private:
    struct Charge {
        Instant at;
        std::uint64_t units;
    };

    // Forgets what has left the window and returns the effective `now`.
    Instant forget_old(Instant now);

    std::uint64_t quota_;
    Nanos window_;
    std::deque<Charge> charges_;
    std::uint64_t used_ = 0;
    Instant last_{};
};

class TokenBucket final : public Counter {
  public:
    TokenBucket(std::uint64_t quota, Nanos window, std::uint64_t burst);

    Nanos wait(std::uint64_t units, Instant now) override;
    void charge(std::uint64_t units, Instant now) override;
    std::uint64_t used(Instant now) override;
    Instant reset_at(Instant now) override;
    void set_quota(std::uint64_t quota, std::uint64_t burst, Instant now) override;

  private:
    __extension__ using Wide = unsigned __int128;

    Instant refill(Instant now);
    Nanos time_to_regain(Wide missing) const;

    std::uint64_t quota_;
    Wide window_ns_;
    Wide full_;   // burst * window_ns: the level of a full bucket
    Wide level_;  // units held * window_ns, so that each nanosecond adds exactly quota
    Instant last_{};
};

std::unique_ptr<Counter> make_counter(const LimitSpec& limit);

}  // namespace mock_venue
