// SPDX-License-Identifier: Apache-2.0
#include "core/reference_model.hpp"

#include <algorithm>
#include <map>

namespace core_test {

using ratecoord::LimitKind;

std::int64_t aligned(std::int64_t utc, std::int64_t window) {
    std::int64_t rest = utc % window;
    if (rest < 0) rest += window;
    return utc - rest;
}

std::uint64_t most_in_any_window(std::vector<Drawn> drawn, std::int64_t window) {
    // A set fits one half-open window [x, x+window) if every member can arrive in it: for the
    // latest possible x = valid_until of one of them, those that may start before x+window and end
    // at or after x.
    std::uint64_t most = 0;
    for (const Drawn& last : drawn) {
        const std::int64_t x = last.valid_until;
        std::uint64_t sum = 0;
        for (const Drawn& d : drawn) {
            if (d.valid_until >= x && d.at < x + window) sum += d.units;
        }
        most = std::max(most, sum);
    }
    return most;
}

std::optional<std::uint64_t> most_in_aligned_window(const std::vector<Drawn>& drawn,
                                                    std::int64_t window, std::int64_t utc_offset,
                                                    std::int64_t ahead) {
    std::map<std::int64_t, std::uint64_t> used;
    std::uint64_t most = 0;
    for (const Drawn& d : drawn) {
        const std::int64_t first = aligned(d.at + utc_offset + ahead, window);
        const std::int64_t last = aligned(d.valid_until + utc_offset + ahead - 1, window);
        if (first != last) return std::nullopt;
        most = std::max(most, used[first] += d.units);
    }
    return most;
}

bool overdraws_bucket(std::vector<Drawn> drawn, std::uint64_t capacity, std::uint64_t quota,
                      std::int64_t window) {
    // A token bucket is overdrawn iff for some x <= y the units that arrive in [x, y] exceed
    // capacity + (y - x) * quota / window. The worst x is the last nanosecond of one permit, the
    // worst y the first of another.
    for (const Drawn& a : drawn) {
        const std::int64_t x = a.valid_until - 1;
        for (const Drawn& b : drawn) {
            const std::int64_t y = std::max(x, b.at);
            Wide sum = 0;
            for (const Drawn& d : drawn) {
                if (d.valid_until > x && d.at <= y) sum += d.units;
            }
            if (sum * window > Wide(capacity) * window + Wide(y - x) * quota) return true;
        }
    }
    return false;
}

std::optional<std::string> broken(const ratecoord::core::LimitRecord& record,
                                  const std::vector<Drawn>& drawn, std::int64_t utc_offset) {
    const auto say = [&](std::uint64_t most) {
        return std::to_string(most) + " units in a window of " + std::to_string(record.quota);
    };
    switch (static_cast<LimitKind>(record.kind)) {
        case LimitKind::bucket:
            if (overdraws_bucket(drawn, record.burst, record.quota, record.window_ns)) {
                return "the venue's bucket of " + std::to_string(record.burst) + " is overdrawn";
            }
            return std::nullopt;
        case LimitKind::rolling:
        case LimitKind::spacing: {
            const std::uint64_t most = most_in_any_window(drawn, record.window_ns);
            return most > record.quota ? std::optional(say(most)) : std::nullopt;
        }
        case LimitKind::fixed:
            break;
    }
    for (const std::int64_t ahead :
         {-(record.slack_ns / 2), std::int64_t{0}, record.slack_ns / 2}) {
        const auto most = most_in_aligned_window(drawn, record.window_ns, utc_offset, ahead);
        if (!most) return "a request may reach another window than its own";
        if (*most > record.quota) return say(*most);
    }
    return std::nullopt;
}

namespace {

/// The part of `whole` that lane `lane` gets; the critical one at least 1.
std::uint64_t part(std::uint64_t whole, std::uint32_t percent, std::size_t lane) {
    const std::uint64_t critical = std::max<std::uint64_t>(1, whole * percent / 100);
    return lane == 1 ? critical : whole - std::min(whole, critical);
}

std::uint64_t most_that_fits(const ReferenceLane& lane) {
    std::uint64_t units = 0;
    while (lane.time(units + 1) <= lane.tolerance && units < 4096) ++units;
    return units;
}

ReferenceLane derive_lane(const ratecoord::core::LimitRecord& record, std::size_t lane) {
    const std::uint32_t percent = record.reserve_percent;
    const bool split = percent > 0;
    const std::uint64_t burst =
        split ? std::max<std::uint64_t>(1, part(record.burst, percent, lane)) : record.burst;
    const std::uint64_t quota = split ? part(record.quota, percent, lane) : record.quota;
    ReferenceLane result;
    switch (static_cast<LimitKind>(record.kind)) {
        case LimitKind::bucket:
            result.period = Wide(record.window_ns) * 100;
            result.rate = Wide(record.quota) * (!split ? 100 : lane == 1 ? percent : 100 - percent);
            result.tolerance = result.time(burst) - record.slack_ns;
            result.largest = most_that_fits(result);
            break;
        case LimitKind::rolling:
        case LimitKind::spacing:
            result.period = record.window_ns + record.slack_ns;
            result.rate = Wide(quota) + 1 - burst;
            result.tolerance = result.time(burst);
            result.largest = burst;
            break;
        case LimitKind::fixed:
            result.period = record.window_ns - 2 * record.slack_ns;
            result.rate = quota;
            result.tolerance = result.time(burst);
            result.single = result.time(1);
            result.quota = quota;
            result.largest = quota;
            break;
    }
    return result;
}

}  // namespace

ReferenceRule derive(const ratecoord::core::LimitRecord& record) {
    ReferenceRule rule;
    rule.kind = static_cast<LimitKind>(record.kind);
    rule.window = record.window_ns;
    rule.slack = record.slack_ns;
    rule.spread = record.spread != 0;
    rule.has_reserve = record.reserve_percent > 0;
    for (std::size_t l = 0; l < (rule.has_reserve ? 2u : 1u); ++l) {
        rule.lane[l] = derive_lane(record, l);
    }
    return rule;
}

}  // namespace core_test
