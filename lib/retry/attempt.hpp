// SPDX-License-Identifier: Apache-2.0
//
// One send: a permit, the request, and what its reply means.
//
// PROMISE  A permit is had, or the reason why not, before `send` is called; it is called at most
//          once. Whatever it throws becomes a reply that may have been sent. Its reply is observed.
// SHARING  As the port.
#pragma once

#include <exception>
#include <optional>

#include "retry/judgement.hpp"
#include "retry/port.hpp"

namespace ratecoord::retry {

struct Attempt {
    bool sent = false;
    BootTime sent_at = {};
    Reply reply = {};
    Advice advice = {};
    std::exception_ptr exception = {};
    // Where nothing was sent: a refusal, or an error.
    Refusal refusal = Refusal::none;
    BootTime until = {};
    std::optional<Error> error = {};  ///< also set where the reply could not be told to the budget
};

/// Gets a permit by `deadline` and sends. Without a budget to ask, closes and reads may go by
/// `fallback` (may be null).
Attempt try_once(Port& port, const Cost& cost, BootTime deadline, FallbackBudget* fallback,
                 SendRequest send) noexcept;

/// now + span, the largest instant where that cannot be said.
BootTime later(BootTime now, std::chrono::nanoseconds span) noexcept;

/// What the budget's refusal means, in one sentence.
std::string sentence_of(const Attempt& attempt, Intent intent);

}  // namespace ratecoord::retry
