// SPDX-License-Identifier: Apache-2.0
#include "retry/placement.hpp"

#include <algorithm>

namespace ratecoord::retry {
namespace {

OrderLedger& process_ledger() {
    static OrderLedger ledger = OrderLedger::in_memory();
    return ledger;
}

bool is_blank(std::string_view text) noexcept {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string in_seconds(std::chrono::nanoseconds span) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
    std::string thousandths = std::to_string(1'000 + ms % 1'000).substr(1);
    return std::to_string(ms / 1'000) + "." + thousandths + " s";
}

OrderState state_of(CallState state) noexcept {
    switch (state) {
        case CallState::done:
            return OrderState::placed;
        case CallState::rejected:
            return OrderState::rejected;
        case CallState::auth:
            return OrderState::auth;
        case CallState::banned:
            return OrderState::banned;
        case CallState::limited:
            return OrderState::limited;
        case CallState::not_sent:
            return OrderState::not_sent;
        default:
            return OrderState::busy;
    }
}

std::string_view sentence_of(OrderState state) noexcept {
    switch (state) {
        case OrderState::rejected:
            return "rejected";
        case OrderState::auth:
            return "the key or its signature is wrong";
        case OrderState::limited:
            return "refused: over the venue's limit";
        case OrderState::banned:
            return "refused: the venue banned this host";
        case OrderState::busy:
            return "refused: the venue is busy";
        case OrderState::not_sent:
            return "it could not be sent";
        default:
            return {};
    }
}

}  // namespace

Placement::Placement(Port& port, const Order& order, const OrderPolicy& policy) noexcept
    : port_(port),
      order_(order),
      policy_(policy),
      ledger_(policy.ledger != nullptr ? *policy.ledger : process_ledger()) {
    result_.symbol = order.symbol;
}

OrderResult Placement::run(SendOrder send, LookUpOrder look_up) noexcept {
    if (!prepare()) return std::move(result_);
    BootTime deadline = later(port_.now(), policy_.within);
    for (;;) {
        const Attempt attempt = send_once(deadline, send);
        if (!attempt.sent) {
            not_sent_at_all(attempt);
            break;
        }
        const Next next = judge_send(attempt);
        if (!next.ask) {
            end(next.state, std::string(sentence_of(next.state)));
            break;
        }
        if (!look(next, look_up, deadline)) break;
    }
    return std::move(result_);
}

/// Everything that can stop an order before its first byte. False: it ends here.
bool Placement::prepare() noexcept {
    if (!fix_id()) return false;
    if (order_.cost.is_empty() || order_.lookup_cost.is_empty()) {
        result_.reason =
            result_.client_id + ": an order needs its cost and that of a lookup: nothing sent";
        return false;
    }
    if (policy_.breaker != nullptr && !policy_.breaker->allows(port_.now(), result_.until)) {
        result_.reason = result_.client_id + ": too many rejections in a row: nothing sent";
        return false;
    }
    if (ledger_.owes_halt() && order_.cost.intent() == Intent::open) {
        if (auto halted = port_.halt("an order is unknown"); !halted) {
            result_.error = halted.error();
            result_.reason = result_.client_id + ": kill state unknown: " + halted.error().message;
            return false;
        }
        ledger_.owe_halt(false);
    }
    return begin();
}

/// O1.
bool Placement::fix_id() noexcept {
    result_.client_id = order_.client_id;
    const auto maker = OrderIdMaker::make(policy_.ids);
    if (!maker) {
        result_.error = maker.error();
        result_.reason = maker.error().message + ": nothing sent";
        return false;
    }
    if (is_blank(order_.client_id)) {
        if (!order_.make_id) {
            result_.reason = "client order id missing: nothing sent";
            return false;
        }
        auto made = maker->next();
        if (!made) {
            result_.error = made.error();
            result_.reason = made.error().message + ": nothing sent";
            return false;
        }
        result_.client_id = std::move(*made);
        return true;
    }
    const std::string objection = maker->objection(order_.client_id);
    if (objection.empty()) return true;
    result_.reason = "client order id '" + order_.client_id + "' " + objection + ": nothing sent";
    return false;
}

/// O5, O6: the id is on record before the first byte leaves.
bool Placement::begin() noexcept {
    result_.first_sent_utc_ns = port_.utc_ns();
    auto begun = ledger_.begin(result_.client_id, result_.symbol, result_.first_sent_utc_ns);
    if (begun && *begun) return true;
    if (begun) {
        result_.reason = result_.client_id + ": this id was used before: nothing sent";
    } else {
        result_.error = begun.error();
        result_.reason = result_.client_id + ": " + begun.error().message + ": nothing sent";
    }
    return false;
}

Attempt Placement::send_once(BootTime deadline, SendOrder send) noexcept {
    Attempt attempt =
        try_once(port_, order_.cost, deadline, policy_.fallback,
                 [&](const Permit& permit) { return send(permit, result_.client_id); });
    if (attempt.error) result_.error = attempt.error;
    if (!attempt.sent) return attempt;
    if (result_.sends++ == 0) {
        result_.first_sent_at = attempt.sent_at;
        result_.first_sent_utc_ns = port_.utc_ns() - (port_.now() - attempt.sent_at).count();
    }
    result_.last_sent_at = attempt.sent_at;
    result_.reply = attempt.reply;
    result_.advice = attempt.advice;
    result_.until = attempt.advice.until;
    result_.exception = attempt.exception;
    return attempt;
}

Placement::Next Placement::judge_send(const Attempt& attempt) const noexcept {
    const bool is_second = result_.sends > 1;
    if (attempt.exception) return {.ask = true};
    if (attempt.advice.is_duplicate) return {.ask = true, .is_known = true};
    const Judgement judgement = judge(attempt.reply, attempt.advice, false, false);
    const bool is_answer = judgement.state != CallState::unknown;
    // What the second send met says nothing about the first.
    if (!is_answer || (is_second && judgement.state != CallState::done)) return {.ask = true};
    return {.state = state_of(judgement.state)};
}

bool Placement::found_nothing(BootTime from, std::chrono::nanoseconds window,
                              LookUpOrder look_up) noexcept {
    const Found found =
        Lookup(port_, policy_, order_.lookup_cost, result_).run(from, window, look_up);
    switch (found) {
        case Found::nothing:
            return true;
        case Found::one:
            result_.is_by_lookup = true;
            end(OrderState::placed, {});
            break;
        case Found::several:
            end_unknown(std::to_string(result_.finding.orders) +
                        " orders carry this id: reconcile");
            break;
        case Found::older:
            end_unknown("an older order carries this id: reconcile");
            break;
        case Found::no_answer:
            end_unknown("outcome unknown: " + result_.reason);
            break;
    }
    return false;
}

bool Placement::look(const Next& next, LookUpOrder look_up, BootTime& deadline) noexcept {
    const BootTime from = next.is_known ? port_.now() : later(result_.last_sent_at, policy_.settle);
    if (!found_nothing(from, policy_.visible_within, look_up)) return false;
    if (next.is_known) {
        end_unknown("the venue calls it a duplicate, and no lookup shows it: reconcile");
        return false;
    }
    if (may_resend(deadline)) return true;
    end_not_placed();
    return false;
}

/// O3.
bool Placement::may_resend(BootTime& deadline) const noexcept {
    if (result_.sends > 1 || policy_.resend == Resend::never) return false;
    deadline = later(port_.now(), policy_.within);
    if (policy_.resend == Resend::after_lookup) return true;
    const BootTime last = later(result_.first_sent_at, policy_.resend_within) -
                          std::max(policy_.clock_tolerance, std::chrono::nanoseconds(0));
    deadline = std::min(deadline, last);
    return port_.now() < last;
}

void Placement::not_sent_at_all(const Attempt& attempt) noexcept {
    result_.refusal = attempt.refusal;
    result_.until = attempt.until;
    const std::string why = retry::sentence_of(attempt, order_.cost.intent());
    if (result_.sends == 0) return end(OrderState::refused, why + ": nothing sent");
    end(OrderState::not_placed, "lookups show nothing, and it was not sent again: " + why);
}

void Placement::end_not_placed() noexcept {
    end(OrderState::not_placed,
        "lookups show nothing " + in_seconds(result_.looked_for) + " after it was sent");
}

void Placement::end(OrderState state, const std::string& reason) noexcept {
    result_.state = state;
    result_.reason = reason.empty() ? std::string() : result_.client_id + ": " + reason;
    if (auto ended = ledger_.end(result_.client_id, state); !ended) result_.error = ended.error();
    if (policy_.breaker == nullptr) return;
    if (state == OrderState::placed) policy_.breaker->note_acceptance();
    if (state == OrderState::rejected || state == OrderState::auth) {
        policy_.breaker->note_rejection(port_.now());
    }
}

/// O4.
void Placement::end_unknown(const std::string& reason) noexcept {
    end(OrderState::unknown, reason);
    const auto halted = port_.halt(result_.reason);
    result_.halted = halted.has_value();
    ledger_.owe_halt(!halted);
    if (!halted) result_.error = halted.error();
    if (!policy_.kill_switch) return;
    try {
        policy_.kill_switch(result_);
    } catch (...) {
        result_.exception = std::current_exception();
    }
}

/// It may have been sent at any time up to now: who began it is gone, or is another thread.
OrderResult Placement::settle(const OrderLedger::Entry& entry, LookUpOrder look_up) noexcept {
    result_.client_id = entry.client_id;
    result_.symbol = entry.symbol;
    result_.first_sent_utc_ns = entry.begun_utc_ns;
    result_.last_sent_at = port_.now();
    const auto window = later(later(result_.last_sent_at, policy_.settle), policy_.visible_within) -
                        result_.last_sent_at;
    if (found_nothing(result_.last_sent_at, window, look_up)) end_not_placed();
    return std::move(result_);
}

OrderResult place_order(Port& port, const Order& order, const OrderPolicy& policy, SendOrder send,
                        LookUpOrder look_up) noexcept {
    return Placement(port, order, policy).run(send, look_up);
}

OrderResult settle_order(Port& port, const OrderLedger::Entry& entry, const Cost& lookup_cost,
                         const OrderPolicy& policy, LookUpOrder look_up) noexcept {
    Order order;
    order.lookup_cost = lookup_cost;
    return Placement(port, order, policy).settle(entry, look_up);
}

}  // namespace ratecoord::retry
