// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/reconnect.hpp>

#include <algorithm>

#include "core/backoff.hpp"
#include "retry/attempt.hpp"
#include "retry/budget_port.hpp"
#include "retry/chance.hpp"

namespace ratecoord {

void Reconnect::opened(BootTime now) noexcept {
    is_open_ = true;
    opened_at_ = now;
}

void Reconnect::closed(BootTime now, std::uint64_t random, BootTime not_before) noexcept {
    // N1: only a life, not an opening, ends a run of failures.
    const bool has_lived = is_open_ && now - opened_at_ >= policy_.alive_after;
    is_open_ = false;
    core::BackoffRun run;
    if (!has_lived) run = {failures_, last_wait_ns_};
    const auto wait = core::next_wait_ns(policy_.backoff, run, random);
    failures_ = run.retries;
    last_wait_ns_ = run.last_ns;
    next_at_ = retry::later(std::max(now, not_before), std::chrono::nanoseconds(wait));
}

void Reconnect::closed(BootTime not_before) noexcept {
    closed(BootClock::now(), retry::random_bits(), not_before);
}

Result<Decision> Reconnect::acquire(Budget& budget, const Cost& cost, BootTime deadline) noexcept {
    if (next_at_ > deadline) return Decision();
    retry::BudgetPort port(budget);
    port.wait_until(next_at_);
    return budget.acquire(cost, deadline);
}

}  // namespace ratecoord
