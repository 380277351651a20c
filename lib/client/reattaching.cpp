// SPDX-License-Identifier: Apache-2.0
//
// What happens when a budget's name vanishes, or when this process lost its descriptor: the next
// segment of that name is joined, or made cold, and learns the stops of the lost one. What was
// drawn is never merged: a new segment gives nothing for two seconds and more. Of a segment whose
// memory is lost or damaged nothing is believed: another one in its place is joined, none is made, and
// the stops that stand are those on disk.
#include <algorithm>

#include "client/impl.hpp"

namespace ratecoord {

/// From here on this process stands for the budget as it was: its limits, sizes and stops. It was
/// perhaps full when it was created, but nobody says so of the one that takes its place.
Result<client::Stops> Budget::Impl::inherit(const segment::View& lost) {
    segment::StateCopy copy = lost.make_copy();
    if (auto read = lost.snapshot(copy); !read) return tl::unexpected(read.error());
    auto in_force = lost.definitions(copy);
    if (!in_force) return tl::unexpected(in_force.error());
    limits = std::move(in_force->current);
    const core::Capacity& capacity = lost.capacity();
    options.clients = capacity.clients;
    options.reservations = capacity.reservations;
    options.limits = capacity.limits;
    options.keys = capacity.keys;
    options.shadow = copy.state().has(core::flag_shadow);
    options.full = false;
    return client::stops_of(copy.state(), {});
}

/// A cost names its limits by index: where another process made the budget anew with other limits,
/// requests would be charged to the wrong ones.
Result<void> Budget::Impl::check_limits(const segment::View& view) const {
    auto there = client::records_of(view);
    if (!there) return tl::unexpected(there.error());
    for (std::size_t i = 0; i < limits.size(); ++i) {
        if (i < there->size() && limits[i].name == (*there)[i].name &&
            limits[i].per == (*there)[i].per) {
            continue;
        }
        return fail(ErrorCode::detached,
                    "budget '" + name + "' was made anew without the limit '" +
                        limits[i].name.data() + "' in its place",
                    "open it again and make the costs anew");
    }
    return {};
}

Result<void> Budget::Impl::carry_over(client::Attachment& to, const client::Stops& stops) noexcept {
    const auto carried =
        to.segment->commit(now() + client::stop_patience_ns,
                           [&](core::State& state, const core::Rules& rules, core::Instant now) {
                               // Somebody cleared the stops since, in the new segment: that word is
                               // the later one.
                               if (state.head->pause_generation > stops.generation)
                                   return segment::Verdict::unchanged;
                               client::impose(state, rules, stops, now);
                               return segment::Verdict::publish;
                           });
    if (!carried.ok()) return tl::unexpected(to.segment->error_of(carried));
    to.segment->journal(segment::Event::attached, "the name vanished; stops carried over");
    return {};
}

/// Refused while the name still means the damaged segment, which would only be found damaged again,
/// and where this process never learned the limits that its costs name.
Result<void> Budget::Impl::give_up(segment::Segment& lost) {
    if (auto known = lost.last_definitions(); !known.empty()) limits = std::move(known);
    if (!limits.empty() && !lost.view().is_linked()) return {};
    return tl::unexpected(lost.error_of({.code = ErrorCode::segment_corrupt}));
}

Result<client::Attachment*> Budget::Impl::reattach(client::Attachment* lost) {
    const std::scoped_lock held(attaching);
    if (current.load(std::memory_order_acquire) != lost) return &attachment();
    if (lost->segment->detachment() == segment::Detachment::retired) {
        return fail(ErrorCode::detached, "budget '" + name + "' was destroyed",
                    "create it anew if bots still need it");
    }
    auto stops = inherit(lost->segment->view());
    const bool damaged = !stops;
    if (damaged) {
        if (auto may = give_up(*lost->segment); !may) return tl::unexpected(may.error());
        stops = client::Stops{};
    }
    std::vector<LimitDefinition> definitions;
    std::transform(limits.begin(), limits.end(), std::back_inserter(definitions),
                   core::to_definition);
    auto attached = attach_or_create(definitions, damaged);
    if (!attached) return tl::unexpected(attached.error());
    client::Attachment& fresh = **attached;
    if (auto same = check_limits(fresh.segment->view()); !same) return tl::unexpected(same.error());
    if (!damaged) {
        if (auto carried = carry_over(fresh, *stops); !carried) {
            return tl::unexpected(carried.error());
        }
    }
    adopt(std::move(*attached));
    if (auto saved = save_stops(); !saved) {
        fresh.segment->journal(segment::Event::note, saved.error().message);
    }
    return &fresh;
}

}  // namespace ratecoord
