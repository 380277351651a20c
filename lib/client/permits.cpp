// SPDX-License-Identifier: Apache-2.0
#include "client/impl.hpp"
#include "core/pause.hpp"
#include "core/plan.hpp"

namespace ratecoord {
namespace {

using client::Attachment;
using segment::ClientCounter;
using segment::LimitCounter;

// A plan of the largest calendar is fresh after reservations/64 steps; pauses that come meanwhile
// start it over, so the bound is generous.
constexpr int plan_steps_max = 4096;
// A permit that came too late (we were stopped between publication and here) is asked for again.
constexpr int late_tries_max = 3;

void count_draws(segment::Tally& tally, const core::Request& request, bool granted) noexcept {
    for (std::size_t i = 0; i < request.count; ++i) {
        const core::Draw& draw = request.draws[i];
        if (!granted) {
            tally.add(draw.limit, LimitCounter::refused);
            continue;
        }
        tally.add_permit(draw.limit, draw.units);
    }
}

void count_answer(segment::Tally& tally, const core::Answer& answer,
                  const core::Request& request) noexcept {
    switch (answer.verdict) {
        case core::Verdict::granted:
            tally.add(ClientCounter::granted);
            return count_draws(tally, request, true);
        case core::Verdict::reserved:
            return tally.add(ClientCounter::reserved);
        case core::Verdict::plan_stale:
            return;
        default:
            tally.add(ClientCounter::refused);
            return count_draws(tally, request, false);
    }
}

Refusal refusal_of(core::Verdict verdict) noexcept {
    switch (verdict) {
        case core::Verdict::granted:
        case core::Verdict::reserved:
            return Refusal::none;
        case core::Verdict::paused:
            return Refusal::paused;
        case core::Verdict::halted:
            return Refusal::halted;
        case core::Verdict::too_large:
            return Refusal::too_large;
        case core::Verdict::calendar_full:
            return Refusal::calendar_full;
        case core::Verdict::keys_full:
            return Refusal::keys_full;
        default:
            return Refusal::not_yet;
    }
}

}  // namespace

void Budget::Impl::fill_request(core::Request& request, const Cost& cost,
                                core::Instant deadline) noexcept {
    request.count = cost.count_;
    request.lane = cost.lane_;
    request.intent = cost.intent_;
    request.deadline = deadline;
    for (std::size_t i = 0; i < cost.count_; ++i) {
        const detail::Charge& charge = cost.charges_[i];
        request.draws[i] = {charge.limit, charge.cell,     charge.generation,
                            charge.units, charge.key_high, charge.key_low};
    }
}

Result<Decision> Budget::Impl::decision_of(const Try& made, bool granted) noexcept {
    Result<Decision> result(tl::in_place);
    Decision& decision = *result;
    const core::Answer& answer = made.answer;
    decision.refusal_ = granted ? Refusal::none : refusal_of(answer.verdict);
    if (!granted && decision.refusal_ == Refusal::none) decision.refusal_ = Refusal::not_yet;
    decision.which_ = answer.which;
    decision.retry_at_ = client::to_time(answer.at);
    decision.resume_after_ = client::to_time(answer.until);
    if (!granted) return result;
    Permit& permit = decision.permit_;
    permit.id_ = answer.id;
    permit.count_ = made.request.count;
    permit.critical_mask_ = answer.critical_mask;
    permit.probe_ = made.probe;
    permit.operation_ = made.operation;
    permit.at_ = client::to_time(answer.at);
    permit.valid_until_ = client::to_time(answer.valid_until);
    for (std::size_t i = 0; i < made.request.count; ++i) {
        const core::Draw& draw = made.request.draws[i];
        permit.charges_[i] = {draw.limit, draw.cell,     draw.generation,
                              draw.units, draw.key_high, draw.key_low};
    }
    return result;
}

Result<void> Budget::Impl::refresh_plan(core::Instant patience) noexcept {
    for (int i = 0; i < plan_steps_max; ++i) {
        bool more = false;
        auto done = commit(patience, [&](Attachment& a, core::State& state,
                                         const core::Rules& rules, core::Instant now) {
            more = false;
            if (state.head->plan == core::Plan::fresh) return segment::Verdict::unchanged;
            more = core::step(state, rules, a.workspace, now).more;
            return segment::Verdict::publish;
        });
        if (!done) return tl::unexpected(done.error());
        if (!more) return {};
    }
    return fail(ErrorCode::deadline_exceeded,
                "the calendar of '" + name + "' changes faster than it can be planned");
}

Result<void> Budget::Impl::decide(const Cost& cost, core::Instant deadline, core::Instant patience,
                                  Try& made) noexcept {
    if (cost.budget_ != name_hash) [[unlikely]]
        return refuse_foreign(cost);
    fill_request(made.request, cost, deadline);
    made.operation = cost.operation_;
    for (int i = 0; i < plan_steps_max; ++i) {
        auto done = commit(
            patience,
            [&](Attachment& a, core::State& state, const core::Rules& rules, core::Instant now) {
                const segment::SlotId slot = a.segment->slot();
                made.request.slot = slot.index;
                made.request.slot_generation = slot.generation;
                made.answer = core::reserve(state, rules, a.workspace, made.request, now);
                made.epoch = state.head->epoch;
                made.probe = state.has(core::flag_probe_required) && made.answer.id != 0 &&
                             made.answer.id == state.head->probe_id;
                return made.answer.changed ? segment::Verdict::publish : segment::Verdict::discard;
            },
            [&](segment::Tally& tally) { count_answer(tally, made.answer, made.request); });
        if (!done) return tl::unexpected(done.error());
        if (made.answer.verdict != core::Verdict::plan_stale) return {};
        if (auto fresh = refresh_plan(patience); !fresh) {
            return tl::unexpected(fresh.error());
        }
    }
    return fail(ErrorCode::deadline_exceeded,
                "the calendar of '" + name + "' changes faster than it can be planned");
}

Result<void> Budget::Impl::confirm(const Reservation& reservation, core::Instant patience,
                                   Try& made) noexcept {
    fill_request(made.request, reservation.cost_, client::to_instant(reservation.deadline_));
    made.operation = reservation.cost_.operation_;
    for (int i = 0; i < plan_steps_max; ++i) {
        auto done = commit(
            patience,
            [&](Attachment& a, core::State& state, const core::Rules& rules, core::Instant now) {
                const segment::SlotId slot = a.segment->slot();
                made.request.slot = slot.index;
                made.request.slot_generation = slot.generation;
                made.probe =
                    state.has(core::flag_probe_required) && reservation.id_ == state.head->probe_id;
                made.answer =
                    core::confirm(state, rules, reservation.id_, slot.index, slot.generation, now);
                made.epoch = state.head->epoch;
                return made.answer.changed ? segment::Verdict::publish : segment::Verdict::discard;
            },
            [&](segment::Tally& tally) {
                if (made.answer.verdict != core::Verdict::granted) return;
                tally.add(ClientCounter::waited);
                count_answer(tally, made.answer, made.request);
            });
        if (!done) return tl::unexpected(done.error());
        if (made.answer.verdict != core::Verdict::plan_stale) return {};
        if (auto fresh = refresh_plan(patience); !fresh) {
            return tl::unexpected(fresh.error());
        }
    }
    return fail(ErrorCode::deadline_exceeded,
                "the calendar of '" + name + "' changes faster than it can be planned");
}

/// B1. A permit that is handed out late could meet the next window's units at the venue.
bool Budget::Impl::in_time(const core::Answer& answer) noexcept {
    if (now() <= answer.hand_out_until) return true;
    attachment().segment->count(segment::BudgetCounter::late_hand_outs);
    return false;
}

Result<Decision> Budget::try_acquire(const Cost& cost) noexcept {
    Impl::Try made;
    for (int i = 0;; ++i) {
        if (auto done = impl_->decide(cost, 0, Impl::soon, made); !done) {
            return tl::unexpected(done.error());
        }
        const bool granted = made.answer.verdict == core::Verdict::granted;
        if (!granted || impl_->in_time(made.answer)) return Impl::decision_of(made, granted);
        if (i < late_tries_max) continue;
        auto late = Impl::decision_of(made, false);
        late->retry_at_ = client::to_time(impl_->now());
        return late;
    }
}

Result<Decision> Budget::acquire(const Cost& cost, BootTime deadline) noexcept {
    return impl_->acquire(cost, client::to_instant(deadline));
}

Result<Decision> Budget::acquire(const Cost& cost, std::chrono::nanoseconds timeout) noexcept {
    const std::int64_t most = core::far / 4;
    return impl_->acquire(cost, impl_->now() + std::clamp<std::int64_t>(timeout.count(), 0, most));
}

Result<Decision> Budget::Impl::acquire(const Cost& cost, core::Instant deadline) noexcept {
    for (;;) {
        // A commit that cannot be had before the deadline still gets a moment to say so.
        const core::Instant patience = std::max(deadline, now() + core::millisecond_ns);
        Try made;
        if (auto done = decide(cost, deadline, patience, made); !done) {
            return tl::unexpected(done.error());
        }
        if (made.answer.verdict == core::Verdict::granted) {
            if (in_time(made.answer)) return decision_of(made, true);
            if (now() < deadline) continue;
            return decision_of(made, false);
        }
        if (made.answer.verdict != core::Verdict::reserved) return decision_of(made, false);
        Reservation reservation = reservation_of(cost, made, deadline);
        auto decision = wait_out(reservation);
        // Without its reservation and not granted, it lapsed or was pushed past its deadline: asked
        // again, past the deadline too, the answer says when to come back.
        if (!decision || *decision || decision->refusal() == Refusal::halted) return decision;
    }
}

Reservation Budget::Impl::reservation_of(const Cost& cost, const Try& made,
                                         core::Instant deadline) noexcept {
    Reservation reservation;
    reservation.cost_ = cost;
    reservation.id_ = made.answer.id;
    reservation.epoch_ = made.epoch;
    reservation.at_ = client::to_time(made.answer.at);
    reservation.deadline_ = client::to_time(deadline);
    return reservation;
}

Result<Decision> Budget::Impl::wait_out(Reservation& reservation) noexcept {
    for (;;) {
        const auto end =
            attachment().segment->wait(reservation.epoch_, client::to_instant(reservation.at_));
        // Once a second: those before us may be dead, and a stop may not be on disk yet.
        if (end == segment::WaitEnd::slice) static_cast<void>(keep());
        // Whoever may wait for room may wait for the lock as long.
        auto decision = settle_reservation(
            reservation,
            std::max(now() + client::patience_ns, client::to_instant(reservation.deadline_)));
        if (!decision || *decision || reservation.id_ == 0) return decision;
    }
}

/// Confirms if its instant has come, else learns where it stands now.
Result<Decision> Budget::Impl::settle_reservation(Reservation& reservation,
                                                  core::Instant patience) noexcept {
    Try made;
    if (auto done = confirm(reservation, patience, made); !done) {
        return tl::unexpected(done.error());
    }
    if (made.answer.verdict == core::Verdict::reserved) {
        reservation.at_ = client::to_time(made.answer.at);
        reservation.epoch_ = made.epoch;
        return decision_of(made, false);
    }
    reservation.id_ = 0;
    const bool granted = made.answer.verdict == core::Verdict::granted && in_time(made.answer);
    auto decision = decision_of(made, granted);
    if (!granted) decision->retry_at_ = client::to_time(now());
    return decision;
}

Result<Decision> Budget::reserve(const Cost& cost, BootTime deadline,
                                 Reservation& reservation) noexcept {
    reservation = Reservation();
    const core::Instant until = client::to_instant(deadline);
    Impl::Try made;
    if (auto done = impl_->decide(cost, until, Impl::soon, made); !done) {
        return tl::unexpected(done.error());
    }
    if (made.answer.verdict == core::Verdict::reserved) {
        reservation = Impl::reservation_of(cost, made, until);
        return Impl::decision_of(made, false);
    }
    const bool granted =
        made.answer.verdict == core::Verdict::granted && impl_->in_time(made.answer);
    return Impl::decision_of(made, granted);
}

Result<Decision> Budget::confirm(Reservation& reservation) noexcept {
    return impl_->settle_reservation(reservation, impl_->now() + client::patience_ns);
}

void Budget::wait(const Reservation& reservation, BootTime until) noexcept {
    const auto at = std::min(reservation.at_, until);
    impl_->attachment().segment->wait(reservation.epoch_, client::to_instant(at));
}

bool Budget::may_have_moved(const Reservation& reservation) const noexcept {
    return impl_->attachment().segment->has_moved(reservation.epoch_);
}

}  // namespace ratecoord
