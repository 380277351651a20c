// SPDX-License-Identifier: Apache-2.0
//
// One request, sent again only where that is safe and where the host can still afford it.
//
//     auto result = ratecoord::call(budget, depth, {.attempts = 4}, [&](const Permit&) {
//         return http.get("/api/v3/depth");             // -> ratecoord::Reply
//     });
//     if (!result) log(name_of(result.state), result.reason, result.until);
//
// PROMISE  C1  Every send has a permit of its own (G1), and its reply is observed.
//          C2  Nothing is sent again after an auth error, a ban or a rejection.
//          C3  What is not idempotent is sent again only if no byte of it was sent, or, where the
//              caller chose so, if the venue's limiter refused it before it was processed (G9).
//          C4  Every send after the first is paid from the host-wide retry budget. Without units
//              there is none, and the result says so.
//          C5  Jitter is added after the instant that the venue named, never before it. An instant
//              behind the deadline ends the call at once, with that instant.
//          C6  When the attempts or the retry units are used up, the kill switch is called.
// UNITS    Typed time; instants of BootClock.
// SHARING  call() by any thread at once; one policy may serve many.
// ERRORS   No exception leaves it: what `send` throws ends the call and stands in `exception`.
// SOURCE   RFC 9110 section 9.2; the retry quota of the AWS SDKs.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <ratecoord/backoff.hpp>
#include <ratecoord/budget.hpp>
#include <ratecoord/function_ref.hpp>
#include <ratecoord/profile.hpp>
#include <ratecoord/reply.hpp>
#include <ratecoord/standby.hpp>

namespace ratecoord {

/// What may be sent twice.
enum class Repeat : std::uint8_t {
    reads,   ///< what its cost calls a read
    always,  ///< the caller's word: doing it twice is as good as once
    never,
};

/// Repeat::always for GET and HEAD, spelled so (methods are case-sensitive); else never.
constexpr Repeat repeat_of_method(std::string_view method) noexcept {
    return method == "GET" || method == "HEAD" ? Repeat::always : Repeat::never;
}

/// As the profile says of the operation.
inline Repeat repeat_of(const OperationSummary& operation) noexcept {
    return operation.is_idempotent ? Repeat::always : Repeat::never;
}

struct CallResult;

struct CallPolicy {
    std::uint32_t attempts = 4;                       ///< sends in all; 0 counts as 1
    std::chrono::nanoseconds within{30'000'000'000};  ///< the call ends by then
    Backoff backoff = {};
    Repeat repeat = Repeat::reads;
    /// Whether what is not idempotent is sent again, too, after the limiter refused it (C3).
    bool resend_refused = false;
    /// Called when retries are used up. Empty: the budget is halted. It must not throw; if it does,
    /// the budget is halted.
    std::function<void(const CallResult&)> kill_switch = {};
    Breaker* breaker = nullptr;          ///< standby.hpp
    FallbackBudget* fallback = nullptr;  ///< standby.hpp
    std::string_view label = "request";  ///< what `reason` calls it
};

enum class CallState : std::uint8_t {
    done,            ///< the venue did it
    rejected,        ///< understood and refused, not for rate
    auth,            ///< wrong key or signature
    banned,          ///< 418, 403: this host is stopped until `until`
    limited,         ///< 429, and not sent again: come back at `until`
    busy,            ///< the venue's own trouble, nothing was done: come back at `until`
    not_sent,        ///< no byte left
    unknown,         ///< not idempotent, and may have been done: look it up
    exhausted,       ///< every attempt failed
    no_retry_units,  ///< the host-wide retry budget is empty
    out_of_time,     ///< the next attempt would come after the deadline
    refused,         ///< the budget gave no permit: see `refusal`, `until`
    broken,          ///< too many rejections in a row: the breaker rests until `until`
    failed,          ///< the budget could not be had: see `error`; nothing more was sent
};
const char* name_of(CallState state) noexcept;

struct CallResult {
    CallState state = CallState::failed;
    Advice advice = {};  ///< of the last reply
    Reply reply = {};    ///< the last; views of the caller's own memory
    Refusal refusal = Refusal::none;
    std::uint32_t sends = 0;
    bool may_be_done = false;  ///< a send may have had its effect though no reply said so
    bool halted = false;       ///< the kill switch set the halt
    BootTime first_sent_at = {};
    BootTime last_sent_at = {};
    BootTime until = {};                ///< when to come back; not set where nobody said
    std::string reason = {};            ///< one sentence; empty when done
    std::optional<Error> error = {};    ///< of the budget; also beside `done`, where a reply could
                                        ///< not be told to it
    std::exception_ptr exception = {};  ///< what `send` or the kill switch threw

    explicit operator bool() const noexcept { return state == CallState::done; }
};

/// Sends one request, now; everything it may throw counts as "perhaps sent".
using SendRequest = FunctionRef<Reply(const Permit&)>;

CallResult call(Budget& budget, const Cost& cost, const CallPolicy& policy,
                SendRequest send) noexcept;

}  // namespace ratecoord
