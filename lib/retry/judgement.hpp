// SPDX-License-Identifier: Apache-2.0
//
// What a reply lets us do next: the rules about sending twice, apart from all waiting.
//
// PROMISE  J1  Auth, ban and rejection are final (C2).
//          J2  What is not repeatable is judged again only if it was not sent, or was refused by
//              the limiter and the caller chose so (C3). No status and no advice overrules that.
//          J3  A 2xx whose body is not whole was perhaps done, never surely.
// SHARING  Pure functions of values.
#pragma once

#include <cstdint>

#include <ratecoord/retry.hpp>

namespace ratecoord::retry {

/// What sending again after `reply` takes from the host's retry budget.
std::uint32_t units_of(const Reply& reply) noexcept;

struct Judgement {
    CallState state = CallState::done;  ///< if it ends here
    bool again = false;
    std::uint32_t units = 0;  ///< of the retry budget, if it is sent again
    bool may_be_done = false;
};
Judgement judge(const Reply& reply, const Advice& advice, bool repeatable,
                bool resend_refused) noexcept;

/// By transport, status and Retry-After alone: for replies that the budget could not be told.
Advice plain_advice(const Reply& reply, BootTime now, std::int64_t utc_ns) noexcept;

}  // namespace ratecoord::retry
