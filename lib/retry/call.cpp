// SPDX-License-Identifier: Apache-2.0
#include "retry/call.hpp"

#include <algorithm>

#include "core/backoff.hpp"

namespace ratecoord::retry {
namespace {

class Call {
  public:
    Call(Port& port, const Cost& cost, const CallPolicy& policy) noexcept
        : port_(port),
          cost_(cost),
          policy_(policy),
          deadline_(later(port.now(), policy.within)),
          repeatable_(policy.repeat == Repeat::always ||
                      (policy.repeat == Repeat::reads && cost.intent() == Intent::read)) {}

    CallResult run(SendRequest send) noexcept {
        while (once(send)) {
        }
        return std::move(result_);
    }

  private:
    /// One attempt. True if another follows; it may go now.
    bool once(SendRequest send) noexcept {
        if (policy_.breaker != nullptr && !policy_.breaker->allows(port_.now(), result_.until)) {
            return end(CallState::broken, "too many rejections in a row");
        }
        Attempt attempt = try_once(port_, cost_, deadline_, policy_.fallback, send);
        if (attempt.error) result_.error = attempt.error;
        if (!attempt.sent) {
            result_.refusal = attempt.refusal;
            result_.until = attempt.until;
            return end(attempt.error ? CallState::failed : CallState::refused,
                       sentence_of(attempt, cost_.intent()));
        }
        note(attempt);
        if (attempt.exception) {
            result_.exception = attempt.exception;
            result_.may_be_done = !repeatable_;
            return end(CallState::unknown, "sending it threw an exception");
        }
        const Judgement judgement =
            judge(attempt.reply, attempt.advice, repeatable_, policy_.resend_refused);
        result_.may_be_done = result_.may_be_done || (judgement.may_be_done && !repeatable_);
        note_breaker(judgement.state);
        if (!judgement.again) return finish(judgement.state);
        return wait_for_next(judgement);
    }

    void note(const Attempt& attempt) noexcept {
        if (result_.sends++ == 0) result_.first_sent_at = attempt.sent_at;
        result_.last_sent_at = attempt.sent_at;
        result_.reply = attempt.reply;
        result_.advice = attempt.advice;
        result_.until = attempt.advice.until;
    }

    void note_breaker(CallState state) noexcept {
        if (policy_.breaker == nullptr) return;
        if (state == CallState::rejected || state == CallState::auth) {
            policy_.breaker->note_rejection(port_.now());
        } else if (state == CallState::done) {
            policy_.breaker->note_acceptance();
        }
    }

    /// C4, C5: the next attempt is paid for, and comes after what the venue named.
    bool wait_for_next(const Judgement& judgement) noexcept {
        if (result_.sends >= std::max(policy_.attempts, 1u)) {
            // One that shall never be sent twice did not run out of tries: it has its answer.
            if (policy_.attempts <= 1) return finish(judgement.state);
            return give_up(CallState::exhausted,
                           "failed " + std::to_string(result_.sends) + " times");
        }
        const BootTime now = port_.now();
        if (result_.until > deadline_) return finish(judgement.state);
        const auto wait = core::next_wait_ns(policy_.backoff, run_, port_.random());
        const BootTime next = later(std::max(result_.until, now), std::chrono::nanoseconds(wait));
        if (next > deadline_) {
            return end(CallState::out_of_time, "the next attempt would come after the deadline");
        }
        const auto spent = port_.spend_retry_units(judgement.units);
        if (!spent) result_.error = spent.error();
        if (!spent || !*spent) {
            return give_up(CallState::no_retry_units, "the host has no retry units left");
        }
        paid_ = judgement.units;
        port_.wait_until(next);
        return true;
    }

    /// An end that the venue's last reply decided.
    bool finish(CallState state) noexcept {
        if (state == CallState::unknown && repeatable_) state = CallState::busy;
        if (state == CallState::done) {
            // As the AWS SDKs: a success gives back what its last retry cost, or one unit.
            const auto units = paid_ > 0 ? paid_ : retry_units::first_success;
            static_cast<void>(port_.return_retry_units(units));
            result_.state = state;
            return false;
        }
        switch (state) {
            case CallState::rejected:
                return end(state, "rejected");
            case CallState::auth:
                return end(state, "the key or its signature is wrong");
            case CallState::banned:
                return end(state, "the venue banned this host");
            case CallState::limited:
                return end(state, "over the venue's limit");
            case CallState::busy:
                return end(state, "the venue is busy");
            case CallState::not_sent:
                return end(state, "it could not be sent");
            default:
                return end(state, "it may have been done: look it up");
        }
    }

    /// C6.
    bool give_up(CallState state, std::string_view why) noexcept {
        end(state, why);
        if (policy_.kill_switch) {
            try {
                policy_.kill_switch(result_);
                return false;
            } catch (...) {
                result_.exception = std::current_exception();
            }
        }
        const auto halted = port_.halt(result_.reason);
        result_.halted = halted.has_value();
        if (!halted && !result_.error) result_.error = halted.error();
        return false;
    }

    bool end(CallState state, std::string_view why) noexcept {
        result_.state = state;
        result_.reason.assign(policy_.label).append(": ").append(why);
        if (result_.sends > 0 && result_.reply.status != 0) {
            result_.reason.append(", status ").append(std::to_string(result_.reply.status));
        }
        return false;
    }

    Port& port_;
    const Cost& cost_;
    const CallPolicy& policy_;
    const BootTime deadline_;
    const bool repeatable_;
    core::BackoffRun run_;
    std::uint32_t paid_ = 0;  // for the last retry
    CallResult result_;
};

}  // namespace

CallResult call(Port& port, const Cost& cost, const CallPolicy& policy, SendRequest send) noexcept {
    return Call(port, cost, policy).run(send);
}

}  // namespace ratecoord::retry

namespace ratecoord {

const char* name_of(CallState state) noexcept {
    switch (state) {
        case CallState::done:
            return "done";
        case CallState::rejected:
            return "rejected";
        case CallState::auth:
            return "auth";
        case CallState::banned:
            return "banned";
        case CallState::limited:
            return "limited";
        case CallState::busy:
            return "busy";
        case CallState::not_sent:
            return "not_sent";
        case CallState::unknown:
            return "unknown";
        case CallState::exhausted:
            return "exhausted";
        case CallState::no_retry_units:
            return "no_retry_units";
        case CallState::out_of_time:
            return "out_of_time";
        case CallState::refused:
            return "refused";
        case CallState::broken:
            return "broken";
        case CallState::failed:
            return "failed";
    }
    return "failed";
}

}  // namespace ratecoord
