// SPDX-License-Identifier: Apache-2.0
#include "process/replay.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/time.hpp"

namespace replay {
namespace {

using core_test::ReferenceRule;

struct Booked {
    std::int64_t at;
    std::uint64_t id;
    std::uint64_t units;
};

/// What one limit, or one key of it, has given so far.
struct Timeline {
    ReferenceRule rule;
    std::int64_t utc_offset = 0;
    std::vector<Booked> booked;  ///< by (at, id)

    std::int64_t window_of(std::int64_t at) const {
        return core_test::aligned(at + utc_offset, rule.window) - utc_offset;
    }
    /// The first instant from `t` on that the window allows at all.
    std::int64_t inside_window(std::int64_t t) const {
        const std::int64_t start = window_of(t);
        if (t < start + rule.slack) return start + rule.slack;
        return t < start + rule.window - rule.slack ? t : start + rule.window + rule.slack;
    }
    bool is_paced() const { return !rule.is_fixed() || rule.spread; }
    std::int64_t tolerance(std::int64_t time) const {
        return rule.is_fixed() ? std::max(rule.lane[0].tolerance, time) : rule.lane[0].tolerance;
    }
    std::uint64_t used_in(std::int64_t window) const {
        std::uint64_t used = 0;
        for (const Booked& each : booked) used += window_of(each.at) == window ? each.units : 0;
        return used;
    }
    /// When the bucket would be full again, after everything booked before `t` (or at it).
    std::int64_t full_at(std::int64_t t) const {
        std::int64_t full = 0;
        for (const Booked& each : booked) {
            if (each.at > t) break;
            full = std::max(full, each.at) + rule.lane[0].time(each.units);
        }
        return full;
    }
    /// Whether everyone booked after `t` still fits when `units` go at `t`.
    bool delays_nobody(std::int64_t t, std::uint64_t units) const {
        std::int64_t full = std::max(full_at(t), t) + rule.lane[0].time(units);
        for (const Booked& each : booked) {
            if (each.at <= t) continue;
            const std::int64_t time = rule.lane[0].time(each.units);
            full = std::max(full, each.at) + time;
            if (full - each.at > tolerance(time)) return false;
        }
        return true;
    }
    /// The next booking after `t`: behind it the sums are others.
    std::int64_t next_booking(std::int64_t t) const {
        for (const Booked& each : booked) {
            if (each.at > t) return each.at;
        }
        return INT64_MAX;
    }
    /// The first instant from `t` on that fits, or a later one from which to look again.
    std::int64_t next_fit(std::int64_t t, std::uint64_t units) const {
        if (rule.is_fixed()) {
            const std::int64_t allowed = inside_window(t);
            if (allowed != t) return allowed;
            if (used_in(window_of(t)) + units > rule.lane[0].quota) {
                return window_of(t) + rule.window + rule.slack;
            }
        }
        if (!is_paced()) return t;
        const std::int64_t time = rule.lane[0].time(units);
        const std::int64_t room = full_at(t) + time - tolerance(time);
        if (room > t) return std::min(room, next_booking(t));
        return delays_nobody(t, units) ? t : next_booking(t);
    }
    void book(const Booked& made) {
        const auto place = std::upper_bound(booked.begin(), booked.end(), made,
                                            [](const Booked& a, const Booked& b) {
                                                return std::tie(a.at, a.id) < std::tie(b.at, b.id);
                                            });
        booked.insert(place, made);
    }
};

class Replay {
  public:
    Replay(const std::vector<ReferenceRule>& rules, std::int64_t utc_offset)
        : rules_(rules), utc_offset_(utc_offset) {}

    std::int64_t earliest(const Given& ask, std::int64_t from) {
        std::int64_t t = from;
        for (bool moved = true; moved;) {
            moved = false;
            for (const Draw& draw : ask.draws) {
                const std::int64_t next = timeline(draw).next_fit(t, draw.units);
                moved = moved || next != t;
                t = next;
            }
        }
        return t;
    }
    void book(const Given& given) {
        for (const Draw& draw : given.draws) {
            timeline(draw).book({given.at, given.id, draw.units});
        }
    }

  private:
    Timeline& timeline(const Draw& draw) {
        const auto [place, is_new] = timelines_.try_emplace({draw.limit, draw.key});
        if (is_new) {
            place->second.rule = rules_.at(draw.limit);
            place->second.utc_offset = utc_offset_;
        }
        return place->second;
    }

    const std::vector<ReferenceRule>& rules_;
    std::int64_t utc_offset_;
    std::map<std::pair<std::size_t, std::string>, Timeline> timelines_;
};

}  // namespace

Result plan_again(const std::vector<ReferenceRule>& rules, std::int64_t utc_offset,
                  std::vector<Given> given) {
    std::sort(given.begin(), given.end(),
              [](const Given& a, const Given& b) { return a.id < b.id; });
    // Commits follow each other, and their readings of the clock never go back.
    std::int64_t latest = INT64_MAX;
    for (auto each = given.rbegin(); each != given.rend(); ++each) {
        latest = each->decided = std::min(each->decided, latest);
    }
    Replay replay(rules, utc_offset);
    Result result;
    std::int64_t reading = 0;
    for (const Given& each : given) {
        reading = std::max(reading, each.asked);
        const std::int64_t soonest = replay.earliest(each, reading);
        // Either it was in nobody's hands but the calendar's, or the clock had gone on by then.
        const bool explained =
            soonest == each.at || (soonest < each.at && each.at <= each.decided &&
                                   replay.earliest(each, each.at) == each.at);
        if (explained) {
            ++result.same;
        } else {
            result.others.push_back("permit " + std::to_string(each.id) + ": at " +
                                    std::to_string(each.at) + ", the model says " +
                                    std::to_string(soonest - each.at) + " ns from it");
        }
        replay.book(each);
    }
    return result;
}

}  // namespace replay
