// SPDX-License-Identifier: Apache-2.0
#include "retry/stage.hpp"

namespace ratecoord::testing {

tl::unexpected<Error> StagePort::gone() {
    return fail(ErrorCode::detached, "the segment is gone");
}

Result<Decision> StagePort::acquire(const Cost& cost, BootTime deadline) noexcept {
    if (is_gone) return gone();
    for (;;) {
        Reservation reservation;
        auto decision = budget_.reserve(cost, deadline, reservation);
        if (!decision || *decision || reservation.id() == 0) return decision;
        while (reservation.id() != 0) {
            if (reservation.at() > now()) clock_.advance((reservation.at() - now()).count());
            decision = budget_.confirm(reservation);
            if (!decision || *decision) return decision;
        }
        if (decision->refusal() == Refusal::halted) return decision;
    }
}

Result<Advice> StagePort::observe(Permit& permit, const Reply& reply) noexcept {
    if (is_gone) return gone();
    if (budget_.profile() != nullptr) return budget_.observe(permit, reply);
    const Advice advice = advise ? advise(reply) : advice_of(reply, now());
    const bool is_ban = advice.action == Action::ban;
    if ((is_ban || advice.action == Action::pause) && advice.scope == Scope::address) {
        const auto kind = is_ban ? PauseKind::ban : PauseKind::cooldown;
        auto paused = budget_.pause(kind, advice.until, "test");
        if (!paused) return tl::unexpected(paused.error());
    }
    auto observed = budget_.observe(permit, outcome_of(advice.action));
    if (!observed) return tl::unexpected(observed.error());
    return advice;
}

Result<void> StagePort::halt(std::string_view reason) noexcept {
    if (is_gone) return gone();
    ++halts;
    return budget_.halt(reason);
}

Result<bool> StagePort::spend_retry_units(std::uint32_t units) noexcept {
    if (is_gone) return gone();
    return budget_.spend_retry_units(units);
}

Result<void> StagePort::return_retry_units(std::uint32_t units) noexcept {
    if (is_gone) return gone();
    return budget_.return_retry_units(units);
}

void StagePort::wait_until(BootTime until) noexcept {
    const auto wait = until - now();
    if (wait.count() <= 0) return;
    sleeps.push_back(wait);
    if (on_sleep) on_sleep(until);
    clock_.advance((until - now()).count());
}

Advice advice_of(const Reply& reply, BootTime now) {
    return retry::plain_advice(reply, now, 0);
}

}  // namespace ratecoord::testing
