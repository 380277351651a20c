// SPDX-License-Identifier: Apache-2.0
#include "core/reference_calendar.hpp"

#include <algorithm>
#include <tuple>

namespace core_test {
namespace {

bool by_arrival(const ReferenceEntry& a, const ReferenceEntry& b) {
    return a.id < b.id;
}

}  // namespace

ReferenceCalendar::ReferenceCalendar(const std::vector<ratecoord::core::LimitRecord>& limits,
                                     std::int64_t utc_offset)
    : utc_offset_(utc_offset) {
    for (const auto& record : limits) {
        Limit limit;
        limit.rules.push_back(Timeline(record));
        limits_.push_back(limit);
    }
}

std::int64_t ReferenceCalendar::earliest_start(std::int64_t now) const {
    return std::max(now, paused_until_);
}

/// Books an event; false where the definitions do not allow it.
bool ReferenceCalendar::draw(const Timeline& timeline, std::size_t lane, Base& base,
                             const Event& event) const {
    const ReferenceLane& rule = timeline.rule.lane[lane];
    const std::int64_t time = rule.time(event.units);
    const std::int64_t next = std::max(base.full_at, event.at) + time;
    if (event.at >= timeline.expires) return true;
    bool fits = event.at >= timeline.opens_at;
    if (!timeline.rule.is_fixed()) {
        fits = fits && next - event.at <= rule.tolerance;
        base.full_at = next;
        return fits;
    }
    const std::int64_t window = aligned(event.at + utc_offset_, timeline.rule.window);
    const std::int64_t inside = event.at + utc_offset_ - window;
    fits = fits && inside >= timeline.rule.slack &&
           inside < timeline.rule.window - timeline.rule.slack;
    fits = fits && (base.used[window] += event.units) <= rule.quota;
    const bool after_pause = event.at < timeline.paced_until;
    if (timeline.rule.spread || after_pause) {
        fits =
            fits && next - event.at <= std::max(after_pause ? rule.single : rule.tolerance, time);
        base.full_at = next;
    }
    return fits;
}

bool ReferenceCalendar::lane_fits(const ReferenceEntry& ask, std::size_t charge, bool critical,
                                  std::int64_t t) const {
    const ReferenceCharge& own = ask.charges[charge];
    const Limit& limit = limits_[own.cell];
    for (const Timeline& timeline : limit.rules) {
        const std::size_t lane = timeline.rule.lane_of(critical);
        std::vector<Event> events{{t, ask.id, own.units, true}};
        const auto collect = [&](const ReferenceEntry& entry, bool must_fit) {
            for (const ReferenceCharge& c : entry.charges) {
                if (c.cell == own.cell && timeline.rule.lane_of(c.critical) == lane) {
                    events.push_back({entry.at, entry.id, c.units, must_fit});
                }
            }
        };
        for (const auto& entry : spent_) collect(entry, false);
        for (const auto& entry : live_) {
            if (entry.id != ask.id) collect(entry, true);
        }
        // At one instant, what was sent is counted before what is still asked for.
        std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
            return std::tie(a.at, a.must_fit, a.id) < std::tie(b.at, b.must_fit, b.id);
        });
        Base base = timeline.base[lane];
        for (const Event& event : events) {
            if (!draw(timeline, lane, base, event) && event.must_fit) return false;
        }
    }
    return true;
}

bool ReferenceCalendar::fits(ReferenceEntry& ask, std::int64_t t) const {
    for (std::size_t c = 0; c < ask.charges.size(); ++c) {
        ReferenceCharge& charge = ask.charges[c];
        const ReferenceRule& rule = limits_[charge.cell].rules[0].rule;
        charge.critical = ask.is_critical && rule.has_reserve &&
                          charge.units <= rule.lane[1].largest && lane_fits(ask, c, true, t);
        if (charge.critical) continue;
        if (charge.units > rule.lane[0].largest || !lane_fits(ask, c, false, t)) return false;
    }
    return true;
}

/// Until when a permit may be handed out, and must have arrived.
void ReferenceCalendar::stamp(ReferenceEntry& entry) const {
    entry.hand_out_until = entry.valid_until = ratecoord::core::far;
    for (const ReferenceCharge& charge : entry.charges) {
        for (const Timeline& timeline : limits_[charge.cell].rules) {
            if (entry.at >= timeline.expires) continue;
            const ReferenceRule& rule = timeline.rule;
            std::int64_t hand_out = entry.at + rule.slack / 2;
            std::int64_t valid = entry.at + rule.slack;
            if (rule.is_fixed()) {
                const std::int64_t end =
                    aligned(entry.at + utc_offset_, rule.window) + rule.window - utc_offset_;
                hand_out = end - rule.slack;
                valid = end - rule.slack / 2;
            }
            entry.hand_out_until = std::min(entry.hand_out_until, hand_out);
            entry.valid_until = std::min(entry.valid_until, valid);
        }
    }
}

void ReferenceCalendar::place(ReferenceEntry& entry, std::int64_t from) const {
    entry.at = from;
    while (entry.at < from + horizon && !fits(entry, entry.at)) ++entry.at;
    stamp(entry);
}

void ReferenceCalendar::spend_at_once(const ReferenceEntry& entry) {
    spent_.push_back(entry);
    all_spent_.push_back(entry);
}

void ReferenceCalendar::spend(std::uint64_t id) {
    for (std::size_t i = 0; i < live_.size(); ++i) {
        if (live_[i].id != id) continue;
        spend_at_once(live_[i]);
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
        return;
    }
}

void ReferenceCalendar::remove(std::uint64_t id) {
    std::erase_if(live_, [&](const ReferenceEntry& entry) { return entry.id == id; });
}

void ReferenceCalendar::lapse(std::int64_t now) {
    std::vector<std::uint64_t> late;
    for (const auto& entry : live_) {
        if (entry.hand_out_until < now) late.push_back(entry.id);
    }
    for (const auto id : late) spend(id);
    for (Limit& limit : limits_) {
        std::erase_if(limit.rules, [&](const Timeline& t) { return t.expires <= now; });
    }
}

void ReferenceCalendar::advance(std::int64_t now) {
    std::sort(live_.begin(), live_.end(), by_arrival);
    for (ReferenceEntry& entry : live_) {
        if (entry.at <= now) continue;
        ReferenceEntry moved = entry;
        place(moved, earliest_start(now));
        if (moved.at < entry.at) entry = moved;
    }
}

void ReferenceCalendar::replan(std::int64_t now) {
    std::vector<ReferenceEntry> queue;
    queue.swap(live_);
    std::sort(queue.begin(), queue.end(), by_arrival);
    for (ReferenceEntry& entry : queue) {
        place(entry, earliest_start(now));
        if (entry.at <= entry.deadline) live_.push_back(entry);
    }
}

void ReferenceCalendar::fold_all() {
    std::sort(spent_.begin(), spent_.end(), [](const ReferenceEntry& a, const ReferenceEntry& b) {
        return a.at != b.at ? a.at < b.at : a.id < b.id;
    });
    for (const ReferenceEntry& entry : spent_) {
        for (const ReferenceCharge& charge : entry.charges) {
            for (Timeline& timeline : limits_[charge.cell].rules) {
                const std::size_t lane = timeline.rule.lane_of(charge.critical);
                draw(timeline, lane, timeline.base[lane],
                     {entry.at, entry.id, charge.units, false});
            }
        }
    }
    spent_.clear();
}

void ReferenceCalendar::restart_empty(Timeline& timeline, std::int64_t until) const {
    const ReferenceRule& rule = timeline.rule;
    if (rule.is_fixed()) {
        const std::int64_t next =
            aligned(until + utc_offset_, rule.window) + rule.window - utc_offset_;
        timeline.paced_until = std::max(timeline.paced_until, next);
        return;
    }
    for (std::size_t l = 0; l < 2; ++l) {
        std::int64_t& full_at = timeline.base[l].full_at;
        full_at = std::max(full_at, until + rule.lane[l].tolerance);
    }
}

void ReferenceCalendar::pause(std::int64_t until, std::int64_t now) {
    if (until <= paused_until_ || until <= now) return;
    paused_until_ = until;
    fold_all();
    for (Limit& limit : limits_) {
        for (Timeline& timeline : limit.rules) restart_empty(timeline, until);
    }
    replan(now);
}

void ReferenceCalendar::resume(std::int64_t now) {
    if (paused_until_ <= now) return;
    paused_until_ = 0;
    fold_all();
    for (Limit& limit : limits_) {
        for (Timeline& timeline : limit.rules) {
            timeline.paced_until = 0;
            for (Base& base : timeline.base) {
                if (!timeline.rule.is_fixed()) base.full_at = INT64_MIN / 4;
            }
            restart_empty(timeline, now);
        }
    }
    replan(now);
}

void ReferenceCalendar::change_beside(std::size_t index, const ratecoord::core::LimitRecord& record,
                                      std::int64_t now) {
    fold_all();
    Limit& limit = limits_[index];
    const Timeline old = limit.rules[0];
    Timeline fresh(record);
    fresh.opens_at = old.opens_at;
    fresh.paced_until = old.paced_until;
    const bool same_windows = old.rule.is_fixed() && fresh.rule.is_fixed() &&
                              old.rule.window == fresh.rule.window &&
                              old.rule.has_reserve == fresh.rule.has_reserve;
    for (std::size_t l = 0; l < 2; ++l) {
        if (same_windows) fresh.base[l].used = old.base[l].used;
        if (!fresh.rule.is_fixed()) {
            fresh.base[l].full_at = earliest_start(now) + fresh.rule.lane[l].tolerance;
        }
    }
    if (fresh.rule.is_fixed() && !same_windows) {
        const std::int64_t next =
            aligned(now + utc_offset_, fresh.rule.window) + fresh.rule.window - utc_offset_;
        fresh.opens_at = std::max(old.opens_at, next);
    }
    if (paused_until_ > now) restart_empty(fresh, paused_until_);
    limit.rules = {fresh, old};
    limit.rules[1].expires =
        now + std::max(old.rule.window + old.rule.slack, fresh.rule.window + fresh.rule.slack);
    replan(now);
}

}  // namespace core_test
