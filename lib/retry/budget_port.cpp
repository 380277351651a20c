// SPDX-License-Identifier: Apache-2.0
#include "retry/budget_port.hpp"

#include <cerrno>
#include <chrono>
#include <ctime>

#include "retry/call.hpp"
#include "retry/chance.hpp"
#include "retry/placement.hpp"

namespace ratecoord::retry {

Result<Decision> BudgetPort::acquire(const Cost& cost, BootTime deadline) noexcept {
    return budget_.acquire(cost, deadline);
}

/// By the profile; without one by status and Retry-After.
Result<Advice> BudgetPort::observe(Permit& permit, const Reply& reply) noexcept {
    if (budget_.profile() != nullptr) return budget_.observe(permit, reply);
    const Advice advice = plain_advice(reply, now(), utc_ns());
    if (advice.action == Action::pause || advice.action == Action::ban) {
        const auto kind = advice.action == Action::ban ? PauseKind::ban : PauseKind::cooldown;
        auto paused = budget_.pause(kind, advice.until, "status " + std::to_string(reply.status));
        if (!paused) return tl::unexpected(paused.error());
    }
    auto observed = budget_.observe(permit, outcome_of(advice.action));
    if (!observed) return tl::unexpected(observed.error());
    return advice;
}

Result<void> BudgetPort::halt(std::string_view reason) noexcept {
    return budget_.halt(reason);
}

Result<bool> BudgetPort::spend_retry_units(std::uint32_t units) noexcept {
    return budget_.spend_retry_units(units);
}

Result<void> BudgetPort::return_retry_units(std::uint32_t units) noexcept {
    return budget_.return_retry_units(units);
}

BootTime BudgetPort::now() const noexcept {
    return BootClock::now();
}

std::int64_t BudgetPort::utc_ns() const noexcept {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

/// Our own backoff: there is nothing to be woken by.
void BudgetPort::wait_until(BootTime until) noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    const std::int64_t ns = until.time_since_epoch().count();
    if (ns <= 0) return;
    const timespec at{.tv_sec = ns / second, .tv_nsec = ns % second};
    while (::clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &at, nullptr) == EINTR) {
    }
}

std::uint64_t BudgetPort::random() noexcept {
    return random_bits();
}

}  // namespace ratecoord::retry

namespace ratecoord {

CallResult call(Budget& budget, const Cost& cost, const CallPolicy& policy,
                SendRequest send) noexcept {
    retry::BudgetPort port(budget);
    return retry::call(port, cost, policy, send);
}

OrderResult place_order(Budget& budget, const Order& order, const OrderPolicy& policy,
                        SendOrder send, LookUpOrder look_up) noexcept {
    retry::BudgetPort port(budget);
    return retry::place_order(port, order, policy, send, look_up);
}

OrderResult settle_order(Budget& budget, const OrderLedger::Entry& entry, const Cost& lookup_cost,
                         const OrderPolicy& policy, LookUpOrder look_up) noexcept {
    retry::BudgetPort port(budget);
    return retry::settle_order(port, entry, lookup_cost, policy, look_up);
}

}  // namespace ratecoord
