// SPDX-License-Identifier: Apache-2.0
//
// When to open a connection again: streams that drop together must not come back together, and a
// handshake that opens and dies is a failure.
//
//     ratecoord::Reconnect pace;
//     for (;;) {
//         auto decision = pace.acquire(budget, attempt_cost, deadline);   // sleeps
//         ... connect, pace.opened() once the handshake is done, read until it ends ...
//         pace.closed();
//     }
//
// PROMISE  N1  Waits grow from one attempt to the next until a connection has lived `alive_after`;
//              opening it alone resets nothing.
//          N2  After a long life, too, the next attempt comes after a jittered first wait.
//          N3  Each attempt, the failed ones too, has a permit of the host's budget: connections
//              are a limit like any other.
// UNITS    Instants of BootClock.
// SHARING  One object for each connection, one thread at a time.
#pragma once

#include <ratecoord/backoff.hpp>
#include <ratecoord/budget.hpp>

namespace ratecoord {

class Reconnect {
  public:
    struct Policy {
        /// Equal jitter: at least half of each wait, so that five minutes hold at most 17 attempts.
        Backoff backoff{Jitter::equal, std::chrono::seconds(1), std::chrono::seconds(60)};
        std::chrono::nanoseconds alive_after{5'000'000'000};
    };
    Reconnect() = default;
    explicit Reconnect(const Policy& policy) : policy_(policy) {}

    /// Not before this instant may the next attempt be made.
    BootTime next_at() const noexcept { return next_at_; }

    void opened(BootTime now) noexcept;
    /// It ended, or never opened. `random`: 64 uniform bits; `not_before`: what the venue named.
    void closed(BootTime now, std::uint64_t random, BootTime not_before = {}) noexcept;

    void opened() noexcept { opened(BootClock::now()); }
    void closed(BootTime not_before = {}) noexcept;

    /// Sleeps until next_at(), then acquires. Where next_at() lies behind the deadline: not_yet at
    /// once; come back then.
    Result<Decision> acquire(Budget& budget, const Cost& cost, BootTime deadline) noexcept;

  private:
    Policy policy_;
    std::uint32_t failures_ = 0;
    std::int64_t last_wait_ns_ = 0;
    bool is_open_ = false;
    BootTime opened_at_{};
    BootTime next_at_{};
};

}  // namespace ratecoord
