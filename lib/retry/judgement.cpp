// SPDX-License-Identifier: Apache-2.0
#include "retry/judgement.hpp"

#include "venue/reading.hpp"

namespace ratecoord::retry {
namespace {

Judgement perhaps_done(const Reply& reply, bool repeatable) noexcept {
    return {CallState::unknown, repeatable, units_of(reply), true};
}

}  // namespace

std::uint32_t units_of(const Reply& reply) noexcept {
    return reply.transport == Transport::maybe_sent ? retry_units::retry_after_timeout
                                                    : retry_units::retry;
}

Judgement judge(const Reply& reply, const Advice& advice, bool repeatable,
                bool resend_refused) noexcept {
    if (reply.transport == Transport::not_sent) {
        return {CallState::not_sent, true, retry_units::retry, false};
    }
    const bool again = repeatable || (resend_refused && !advice.partly_done);
    switch (advice.action) {
        case Action::auth:
            return {CallState::auth, false, 0, false};
        case Action::ban:
            return {CallState::banned, false, 0, advice.partly_done};
        case Action::unknown_outcome:
            return perhaps_done(reply, repeatable);
        case Action::ok:
        case Action::rejected:
            // The head alone may be a proxy's word, or the start of another story (J3).
            if (reply.transport == Transport::maybe_sent || !reply.is_whole) {
                return perhaps_done(reply, repeatable);
            }
            return {advice.action == Action::ok ? CallState::done : CallState::rejected, false, 0,
                    advice.partly_done};
        case Action::pause:
        case Action::retry_later:
        case Action::overload:
            break;
    }
    if (reply.transport == Transport::maybe_sent) return perhaps_done(reply, repeatable);
    const auto state = advice.action == Action::pause ? CallState::limited : CallState::busy;
    return {state, again, units_of(reply), advice.partly_done};
}

Advice plain_advice(const Reply& reply, BootTime now, std::int64_t utc_ns) noexcept {
    static const venue::Profile nobody;
    return venue::advice_of(nobody, venue::read(nobody, reply, venue::no_index, {now, utc_ns, {}}));
}

}  // namespace ratecoord::retry
