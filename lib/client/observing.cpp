// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>

#include "client/impl.hpp"
#include "core/change.hpp"
#include "core/pause.hpp"

namespace ratecoord {

std::uint16_t client::cell_of(core::State& state, const core::Rules& rules, const core::Draw& draw,
                              core::Instant now) noexcept {
    core::Request one;
    one.draws[0] = draw;
    one.count = 1;
    one.lane = Lane::critical;  // either lane's largest will do here
    std::size_t which = 0;
    const bool bound = core::bind(state, rules, one, now, which) == core::Binding::bound;
    return bound ? one.draws[0].cell : core::none;
}

core::Request Budget::Impl::request_of(const Permit& permit) noexcept {
    Cost cost;
    cost.charges_ = permit.charges_;
    cost.count_ = permit.count_;
    core::Request request;
    fill_request(request, cost, 0);
    return request;
}

Result<bool> Budget::cancel(Reservation& reservation) noexcept {
    if (reservation.id_ == 0) return false;
    const std::uint64_t id = reservation.id_;
    bool freed = false;
    auto done = impl_->commit(
        impl_->now() + client::patience_ns,
        [&](client::Attachment& a, core::State& state, const core::Rules&, core::Instant now) {
            const segment::SlotId slot = a.segment->slot();
            freed = core::cancel(state, id, slot.index, slot.generation, now);
            return freed ? segment::Verdict::publish : segment::Verdict::discard;
        },
        [&](segment::Tally& tally) {
            if (freed) tally.add(segment::ClientCounter::cancelled);
        });
    if (!done) return tl::unexpected(done.error());
    reservation.id_ = 0;
    if (!freed) return false;
    if (auto fresh = impl_->refresh_plan(impl_->now() + client::patience_ns); !fresh) {
        return tl::unexpected(fresh.error());
    }
    return true;
}

Result<std::uint64_t> Budget::cancel(Permit& permit) noexcept {
    const std::uint64_t id = permit.id_;
    if (id == 0) return std::uint64_t{0};
    core::Request request = Impl::request_of(permit);
    std::uint64_t returned = 0;
    auto done = impl_->commit(
        impl_->now() + client::patience_ns,
        [&](client::Attachment& a, core::State& state, const core::Rules& rules,
            core::Instant now) {
            const segment::SlotId slot = a.segment->slot();
            request.slot = slot.index;
            request.slot_generation = slot.generation;
            returned = core::give_back(state, rules, id, request, permit.critical_mask_,
                                       client::to_instant(permit.at_), now);
            return returned > 0 ? segment::Verdict::publish : segment::Verdict::discard;
        },
        [&](segment::Tally& tally) {
            if (returned > 0) tally.add(segment::ClientCounter::cancelled);
        });
    if (!done) return tl::unexpected(done.error());
    permit.id_ = 0;
    if (returned == 0) {
        impl_->attachment().segment->count(segment::BudgetCounter::ignored_refunds);
        return returned;
    }
    if (auto fresh = impl_->refresh_plan(impl_->now() + client::patience_ns); !fresh) {
        return tl::unexpected(fresh.error());
    }
    return returned;
}

Result<void> Budget::observe(Permit& permit, Outcome outcome) noexcept {
    const std::uint64_t id = std::exchange(permit.id_, 0);
    if (id == 0 || !permit.probe_) return {};
    auto done =
        impl_->stop(segment::Event::probe,
                    outcome == Outcome::failed || outcome == Outcome::limited ? "probe failed"
                                                                              : "probe answered",
                    [&](core::State& state, const core::Rules&, core::Instant now) {
                        if (!state.has(core::flag_probe_required) || state.head->probe_id != id)
                            return false;
                        core::probe_reply(state, id, outcome, now);
                        return true;
                    });
    if (!done) return tl::unexpected(done.error());
    return {};
}

void Budget::Impl::tell(const client::OutsideUse& seen) noexcept {
    if (seen.units == 0) return;
    std::array<char, segment::Journal::text_bytes_max + 1> text;
    const int length = std::snprintf(text.data(), text.size(), "%.*s: %u units drawn by others",
                                     static_cast<int>(seen.limit.size()), seen.limit.data(),
                                     static_cast<unsigned>(seen.units));
    const auto most = static_cast<int>(text.size()) - 1;
    attachment().segment->journal(
        segment::Event::outside_use,
        {text.data(), static_cast<std::size_t>(std::clamp(length, 0, most))});
}

/// Finds the cell of `item` and lets `observe(a, state, rules, cell, now)` look at it in a commit.
template <class Observe>
Result<void> Budget::Impl::observe_count(const CostItem& item, Observe&& observe) noexcept {
    auto known = records();
    if (!known) return tl::unexpected(known.error());
    CostItem one = item;
    one.units = 1;
    auto draw = resolve(one, *known);
    if (!draw) return tl::unexpected(draw.error());
    bool changed = false;
    client::OutsideUse seen;
    auto done =
        commit(now() + client::patience_ns, [&](client::Attachment& a, core::State& state,
                                                const core::Rules& rules, core::Instant now) {
            const std::uint16_t cell = client::cell_of(state, rules, *draw, now);
            seen = {};
            changed = false;
            if (cell == core::none) return segment::Verdict::discard;
            const std::uint32_t before = state.cell_storage[cell].outside;
            changed = observe(a, state, rules, cell, now);
            if (!changed) return segment::Verdict::discard;
            seen.note(item.limit, before, state.cell_storage[cell].outside);
            return segment::Verdict::publish;
        });
    if (!done) return tl::unexpected(done.error());
    if (!changed) return {};
    tell(seen);
    return refresh_plan(now() + client::patience_ns);
}

Result<void> Budget::observe_used(const CostItem& limit, std::uint64_t used, BootTime at) noexcept {
    return impl_->observe_count(
        limit, [&](client::Attachment& a, core::State& state, const core::Rules& rules,
                   std::uint16_t cell, core::Instant now) {
            return core::observe_used(state, rules, a.workspace, cell, used, client::to_instant(at),
                                      now);
        });
}

Result<void> Budget::observe_remaining(const CostItem& limit, std::uint64_t remaining) noexcept {
    return impl_->observe_count(
        limit, [&](client::Attachment& a, core::State& state, const core::Rules& rules,
                   std::uint16_t cell, core::Instant now) {
            return core::observe_remaining(state, rules, a.workspace, cell, remaining, now);
        });
}

}  // namespace ratecoord
