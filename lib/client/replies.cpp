// SPDX-License-Identifier: Apache-2.0
//
// From what a venue replied to what every process does about it.
#include <algorithm>

#include "client/impl.hpp"
#include "core/change.hpp"
#include "core/pause.hpp"

namespace ratecoord {
namespace {

using segment::ClientCounter;

tl::unexpected<Error> no_profile(const std::string& name) {
    return fail(ErrorCode::invalid_argument, "budget '" + name + "' was opened without a profile",
                "open it by the profile's name, or name one in OpenOptions::profile");
}

/// Strikes double what no venue named, up to three days.
core::Instant grown(std::int64_t base, std::uint32_t strikes) noexcept {
    constexpr std::int64_t longest = 72 * 3'600 * core::second_ns;
    for (std::uint32_t i = 0; i < strikes && base < longest; ++i) base *= 2;
    return std::min(base, longest);
}

std::string reason_of(const venue::Profile& profile, const venue::Reading& reading) {
    std::string text = reading.signal == venue::no_index
                           ? "status " + std::to_string(reading.status)
                           : profile.signals[reading.signal].name;
    text += ", wait from ";
    text += name_of(reading.source);
    if (reading.was_clamped) text += ", cut: longer than the venue's longest";
    return text;
}

}  // namespace

Result<void> Budget::Impl::use_profile(const Profile& wanted) {
    auto known = records();
    if (!known) return tl::unexpected(known.error());
    client::ProfileInUse in_use{wanted, {}};
    for (const venue::Limit& limit : wanted.model().limits) {
        const auto found = std::find_if(known->begin(), known->end(), [&](const auto& record) {
            return limit.definition.name == record.name.data();
        });
        in_use.limits.push_back(found == known->end()
                                    ? core::none
                                    : static_cast<std::uint16_t>(found - known->begin()));
    }
    profile = std::move(in_use);
    return {};
}

Result<Cost> Budget::operation(std::string_view name, std::initializer_list<Argument> arguments,
                               std::initializer_list<KeyName> keys) const {
    return operation(name, std::span(arguments.begin(), arguments.size()),
                     std::span(keys.begin(), keys.size()));
}

Result<Cost> Budget::operation(std::string_view name, std::span<const Argument> arguments,
                               std::span<const KeyName> keys) const {
    if (!impl_->profile) return no_profile(impl_->name);
    const Profile& profile = impl_->profile->profile;
    const auto costs = profile.cost(name, arguments);
    if (!costs) return tl::unexpected(costs.error());
    std::vector<CostItem> items;
    for (const ProfileCost& each : *costs) {
        if (each.units == 0) continue;
        CostItem item{each.limit, each.units, {}};
        if (!each.per.empty()) {
            const auto key = std::find_if(keys.begin(), keys.end(), [&](const KeyName& known) {
                return known.dimension == each.per;
            });
            if (key == keys.end()) {
                return fail(ErrorCode::invalid_argument, "operation '" + std::string(name) +
                                                             "' draws '" + std::string(each.limit) +
                                                             "' per " + std::string(each.per) +
                                                             ": name the " + std::string(each.per));
            }
            item.key = key->name;
        }
        items.push_back(item);
    }
    auto made = cost(items);
    if (!made) return made;
    const auto index = profile.model().find_operation(name);
    const venue::Operation& operation = profile.model().operations[index];
    made->operation_ = index;
    made->lane_ = operation.lane;
    made->intent_ = operation.intent;
    return made;
}

const Profile* Budget::profile() const noexcept {
    return impl_->profile ? &impl_->profile->profile : nullptr;
}

/// Lowers the draws to what the venue did not charge; the sum.
std::int64_t Budget::Impl::refund_of(const venue::Reading& reading,
                                     core::Request& request) const noexcept {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < request.count; ++i) {
        std::uint32_t& units = request.draws[i].units;
        std::uint64_t charged = units;
        for (std::size_t c = 0; c < reading.charge_count; ++c) {
            if (profile->limits[reading.charges[c].limit] == request.draws[i].limit) {
                charged = reading.charges[c].units;
            }
        }
        units -= static_cast<std::uint32_t>(std::min<std::uint64_t>(charged, units));
        sum += units;
    }
    return sum;
}

/// Merges one count of the venue; true if the state changed. `seen` is then what others drew.
bool Budget::Impl::merge(const venue::Count& said, const core::Request& drawn,
                         client::Attachment& a, core::State& state, const core::Rules& rules,
                         core::Instant now, client::OutsideUse& seen) const noexcept {
    const std::uint16_t limit = profile->limits[said.limit];
    if (limit == core::none || limit >= state.head->limits_in_use) return false;
    const auto end = drawn.draws.begin() + static_cast<std::ptrdiff_t>(drawn.count);
    const auto own = std::find_if(drawn.draws.begin(), end,
                                  [&](const core::Draw& draw) { return draw.limit == limit; });
    // Whose count it is cannot be told where the request itself does not draw from the limit.
    if (own == end && rules.current[limit].keyed) return false;
    const std::uint16_t cell = client::cell_of(
        state, rules, own == end ? core::Draw{.limit = limit, .units = 1} : *own, now);
    if (cell == core::none) return false;
    const std::uint32_t before = state.cell_storage[cell].outside;
    const bool noted =
        said.is_remaining
            ? core::observe_remaining(state, rules, a.workspace, cell, said.units, now)
            : core::observe_used(state, rules, a.workspace, cell, said.units,
                                 client::to_instant(said.at), now);
    if (noted) {
        seen.note(profile->profile.model().limits[said.limit].definition.name, before,
                  state.cell_storage[cell].outside);
    }
    return noted;
}

/// Counts, refunds and the tally, in one commit.
Result<void> Budget::Impl::hear(Permit& permit, const venue::Reading& reading,
                                Advice& advice) noexcept {
    const core::Request drawn = request_of(permit);
    core::Request refund = drawn;
    const bool refunds = permit.id_ != 0 && refund_of(reading, refund) > 0;
    const bool late = reading.received_at > permit.valid_until_;
    client::OutsideUse seen;
    bool changed = false;
    auto done = commit(
        now() + client::patience_ns,
        [&](client::Attachment& a, core::State& state, const core::Rules& rules,
            core::Instant now) {
            seen = {};
            changed = false;
            for (const venue::Count& said : reading.counts.all()) {
                changed = merge(said, drawn, a, state, rules, now, seen) || changed;
            }
            if (refunds) {
                const segment::SlotId slot = a.segment->slot();
                refund.slot = slot.index;
                refund.slot_generation = slot.generation;
                advice.refunded =
                    core::give_back(state, rules, permit.id_, refund, permit.critical_mask_,
                                    client::to_instant(permit.at_), now);
            }
            changed = changed || advice.refunded > 0;
            return changed ? segment::Verdict::publish : segment::Verdict::unchanged;
        },
        [&](segment::Tally& tally) {
            tally.add(ClientCounter::replies);
            if (late) tally.add(ClientCounter::late_replies);
        });
    if (!done) return tl::unexpected(done.error());
    segment::Segment& segment = *attachment().segment;
    if (const auto slow = pace.add(late); slow > 0) {
        segment.journal(segment::Event::slow_replies,
                        std::to_string(slow) + " of " + std::to_string(client::ReplyPace::window) +
                            " replies came after the slack");
    }
    if (refunds && advice.refunded == 0) segment.count(segment::BudgetCounter::ignored_refunds);
    if (!changed) return {};
    tell(seen);
    return refresh_plan(now() + client::patience_ns);
}

/// A stop for the address, or for the key that the request drew on.
Result<void> Budget::Impl::obey(const Permit& permit, const venue::Reading& reading,
                                Advice& advice) noexcept {
    if (reading.action != Action::pause && reading.action != Action::ban) return {};
    const detail::Charge* keyed = nullptr;
    for (std::size_t i = 0; reading.scope == Scope::key && i < permit.count_; ++i) {
        for (std::size_t l = 0; l < profile->limits.size(); ++l) {
            const bool is_it = profile->limits[l] == permit.charges_[i].limit &&
                               profile->profile.model().limits[l].definition.per == reading.per;
            if (is_it) keyed = &permit.charges_[i];
        }
    }
    // A key that the request did not draw on has no name here: all stop rather than none.
    advice.scope = keyed != nullptr ? Scope::key : Scope::address;
    const PauseKind kind = reading.action == Action::ban ? PauseKind::ban : PauseKind::cooldown;
    const bool is_ban = kind == PauseKind::ban;
    const auto received = client::to_instant(reading.received_at);
    auto done =
        stop(is_ban ? segment::Event::ban : segment::Event::pause,
             reason_of(profile->profile.model(), reading),
             [&](core::State& state, const core::Rules& rules, core::Instant now) {
                 std::int64_t wait = reading.wait_ns;
                 if (reading.source == WaitSource::fallback)
                     wait = grown(wait, state.head->strikes);
                 const core::Instant until = core::add(received, wait);
                 advice.until = client::to_time(until);
                 std::uint16_t key = core::none;
                 if (keyed != nullptr) {
                     key = core::key_index(state, rules, keyed->key_high, keyed->key_low, now);
                 }
                 if (key == core::none) advice.scope = Scope::address;
                 return core::pause(state, rules, key == core::none ? kind : PauseKind::cooldown,
                                    key, until, now);
             });
    if (!done) return tl::unexpected(done.error());
    return {};
}

Result<Advice> Budget::observe(Permit& permit, const Reply& reply) noexcept {
    if (!impl_->profile) return no_profile(impl_->name);
    const venue::Profile& model = impl_->profile->profile.model();
    const core::Instant now = impl_->now();
    const venue::Reading reading = venue::read(model, reply, permit.operation_,
                                               {.now = client::to_time(now),
                                                .utc_ns = now + impl_->clock->utc_offset(),
                                                .sent = permit.at_});
    Advice advice = venue::advice_of(model, reading);
    // What must not be lost first: everybody stops, whatever becomes of the counts.
    if (auto obeyed = impl_->obey(permit, reading, advice); !obeyed) {
        return tl::unexpected(obeyed.error());
    }
    if (auto heard = impl_->hear(permit, reading, advice); !heard) {
        return tl::unexpected(heard.error());
    }
    if (auto settled = observe(permit, outcome_of(reading.action)); !settled) {
        return tl::unexpected(settled.error());
    }
    return advice;
}

}  // namespace ratecoord
