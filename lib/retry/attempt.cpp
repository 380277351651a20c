// SPDX-License-Identifier: Apache-2.0
#include "retry/attempt.hpp"

#include <algorithm>

#include "core/time.hpp"

namespace ratecoord::retry {
namespace {

/// A permit, by the fallback perhaps; false if there is none, and `attempt` says why.
bool get_permit(Port& port, const Cost& cost, BootTime deadline, FallbackBudget* fallback,
                Attempt& attempt, Permit& permit) noexcept {
    auto decision = port.acquire(cost, deadline);
    if (decision) {
        if (*decision) {
            permit = std::move(decision->permit());
            return true;
        }
        attempt.refusal = decision->refusal();
        attempt.until = decision->refusal() == Refusal::paused ? decision->resume_after()
                                                               : decision->retry_at();
        return false;
    }
    attempt.error = std::move(decision.error());
    if (fallback == nullptr || !fallback->serves(cost.intent())) return false;
    const BootTime at = fallback->book(port.now(), deadline);
    attempt.until = at;
    if (at > deadline) return false;
    port.wait_until(at);
    return true;
}

}  // namespace

BootTime later(BootTime now, std::chrono::nanoseconds span) noexcept {
    const std::int64_t most =
        core::far - std::clamp<std::int64_t>(now.time_since_epoch().count(), 0, core::far);
    return now + std::chrono::nanoseconds(std::clamp<std::int64_t>(span.count(), 0, most));
}

Attempt try_once(Port& port, const Cost& cost, BootTime deadline, FallbackBudget* fallback,
                 SendRequest send) noexcept {
    Attempt attempt;
    Permit permit;
    if (!get_permit(port, cost, deadline, fallback, attempt, permit)) return attempt;
    const bool is_booked = permit.id() != 0;
    attempt.sent = true;
    attempt.sent_at = port.now();
    try {
        attempt.reply = send(permit);
    } catch (...) {
        attempt.exception = std::current_exception();
        attempt.reply = {};
        attempt.reply.transport = Transport::maybe_sent;
        attempt.reply.is_whole = false;
    }
    if (attempt.reply.received_at == BootTime{}) attempt.reply.received_at = port.now();
    if (is_booked) {
        auto advice = port.observe(permit, attempt.reply);
        if (advice) {
            attempt.advice = *advice;
            return attempt;
        }
        attempt.error = std::move(advice.error());
    }
    // Nobody could be told: the reply alone speaks.
    attempt.advice = plain_advice(attempt.reply, port.now(), port.utc_ns());
    return attempt;
}

std::string sentence_of(const Attempt& attempt, Intent intent) {
    if (attempt.error) {
        // What could not be read may be a halt (G7).
        return (intent == Intent::open ? "kill state unknown: " : "no budget: ") +
               attempt.error->message;
    }
    switch (attempt.refusal) {
        case Refusal::paused:
            return "the host is paused";
        case Refusal::halted:
            return "the host is halted: nothing that opens is sent";
        case Refusal::not_yet:
            return "no room in the budget before the deadline";
        case Refusal::too_large:
            return "the request can never fit its limit";
        case Refusal::calendar_full:
            return "the calendar is full";
        case Refusal::keys_full:
            return "no room for another key";
        case Refusal::none:
            break;
    }
    return {};
}

}  // namespace ratecoord::retry
