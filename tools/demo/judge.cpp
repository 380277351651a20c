// SPDX-License-Identifier: Apache-2.0
#include "demo/judge.hpp"

#include <algorithm>
#include <set>

namespace demo {

namespace {

bool is_before(const Arrival& arrival, std::int64_t boot_ns) {
    return arrival.boot_ns < boot_ns;
}

Ban ban_from(const std::vector<Arrival>& arrivals, std::vector<Arrival>::const_iterator first) {
    Ban ban;
    ban.started_boot_ns = first->boot_ns;
    ban.until_boot_ns = first->boot_ns + (first->until_utc_ns - first->utc_ns);
    const auto end = std::lower_bound(first, arrivals.end(), ban.until_boot_ns, is_before);
    for (auto knock = first + 1; knock < end; ++knock) {
        ban.knocks.push_back(*knock);
        ban.stop_ns = knock->boot_ns - first->boot_ns;
    }
    if (end == arrivals.end()) return ban;
    ban.first_after_ns = end->boot_ns - ban.until_boot_ns;
    const auto later = std::lower_bound(end, arrivals.end(), end->boot_ns + soon_ns, is_before);
    ban.accepted_soon = static_cast<std::uint64_t>(
        std::count_if(end, later, [](const Arrival& each) { return each.accepted(); }));
    return ban;
}

// The first pause of a ban: when its cause was read, when it was in force, and its end as the
// clients know it.
struct Pause {
    std::int64_t cause_ns = 0;
    std::int64_t in_force_ns = 0;
    std::int64_t until_ns = 0;
};

Pause pause_of(const Ban& ban, const std::vector<Sent>& sent) {
    Pause pause;
    for (const Sent& each : sent) {
        const bool of_this_ban = each.paused_ns > ban.started_boot_ns &&
                                 each.paused_ns < ban.until_boot_ns && each.status == 418;
        if (!of_this_ban) continue;
        if (pause.in_force_ns == 0 || each.paused_ns < pause.in_force_ns) {
            pause.cause_ns = each.replied_ns;
            pause.in_force_ns = each.paused_ns;
            pause.until_ns = each.pause_until_ns;
        }
    }
    return pause;
}

// Whether the request that arrived there had its permit from before the pause was in force.
bool was_on_its_way(const Arrival& knock, const Pause& pause, const std::vector<Sent>& sent) {
    return std::any_of(sent.begin(), sent.end(), [&](const Sent& each) {
        return "w" + std::to_string(each.worker) == knock.label && each.sent_ns <= knock.boot_ns &&
               knock.boot_ns <= each.replied_ns && each.deciding_ns <= pause.in_force_ns;
    });
}

void look_at_waiters(const Pause& pause, const std::vector<Told>& told, Stop& stop) {
    std::set<std::pair<unsigned, unsigned>> seen;
    for (const Told& each : told) {
        // Who asked during the ban is told again when a later 418 prolongs it: no waiter of before.
        const bool waited = each.from_ns < pause.until_ns && each.to_ns >= pause.until_ns;
        const bool is_news = each.told_ns > pause.cause_ns && each.told_ns < pause.until_ns;
        if (!waited || !is_news || !seen.insert({each.worker, each.thread}).second) continue;
        stop.last_told_ns = each.told_ns - pause.cause_ns;
    }
    stop.waiters_told = seen.size();
}

void look_at_permits(const Pause& pause, const std::vector<Sent>& sent, Stop& stop) {
    const Sent* probe = nullptr;
    for (const Sent& each : sent) {
        if (each.granted_ns <= pause.in_force_ns) continue;
        if (each.granted_ns < pause.until_ns) {
            if (each.deciding_ns > pause.in_force_ns) ++stop.permits_after;
        } else if (probe == nullptr) {
            probe = &each;
            stop.probe_status = each.status;
        } else if (each.granted_ns < probe->replied_ns) {
            ++stop.beside_probe;
        } else {
            return;
        }
    }
}

}  // namespace

Counts count(const std::vector<Arrival>& arrivals, std::int64_t start_utc_ns) {
    Counts counts;
    std::set<std::string> senders;
    for (const Arrival& arrival : arrivals) {
        ++counts.calls;
        if (!arrival.label.empty()) senders.insert(arrival.label);
        if (!arrival.accepted()) {
            ++counts.rejected;
            continue;
        }
        ++counts.accepted;
        counts.last_success_ns = arrival.utc_ns - start_utc_ns;
    }
    counts.senders = senders.size();
    return counts;
}

std::vector<std::uint64_t> used_by_window(const std::vector<Arrival>& arrivals,
                                          const std::string& limit, std::int64_t window_ns,
                                          std::int64_t from_utc_ns, std::int64_t to_utc_ns) {
    const std::int64_t first = (from_utc_ns + window_ns - 1) / window_ns;
    const std::int64_t end = to_utc_ns / window_ns;
    std::vector<std::uint64_t> used(end > first ? static_cast<std::size_t>(end - first) : 0);
    for (const Arrival& arrival : arrivals) {
        const std::int64_t window = arrival.utc_ns / window_ns;
        if (!arrival.accepted() || window < first || window >= end) continue;
        used[static_cast<std::size_t>(window - first)] += arrival.units(limit);
    }
    return used;
}

double sustained_per_second(const std::vector<Arrival>& arrivals, const std::string& limit,
                            const std::string& account) {
    std::uint64_t requests = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    for (const Arrival& arrival : arrivals) {
        if (!arrival.accepted() || arrival.account != account || arrival.units(limit) == 0)
            continue;
        if (requests == 0) first = arrival.boot_ns;
        last = arrival.boot_ns;
        ++requests;
    }
    if (requests < 2) return 0;
    return static_cast<double>(requests - 1) * 1e9 / static_cast<double>(last - first);
}

std::uint64_t out_of_turn(const HerdLog& log) {
    std::vector<const Sent*> in_turn;
    for (const Sent& sent : log.sent) {
        if (sent.permit != 0) in_turn.push_back(&sent);
    }
    std::sort(in_turn.begin(), in_turn.end(),
              [](const Sent* a, const Sent* b) { return a->permit < b->permit; });
    std::map<std::string, std::int64_t> latest;
    std::uint64_t found = 0;
    for (const Sent* const sent : in_turn) {
        std::int64_t& last = latest[sent->kind];
        if (sent->at_ns < last) ++found;
        last = std::max(last, sent->at_ns);
    }
    return found;
}

std::vector<Ban> bans_of(const std::vector<Arrival>& arrivals) {
    std::vector<Ban> bans;
    for (auto arrival = arrivals.begin(); arrival != arrivals.end(); ++arrival) {
        const bool stands = !bans.empty() && arrival->boot_ns < bans.back().until_boot_ns;
        if (arrival->banned() && !stands) bans.push_back(ban_from(arrivals, arrival));
    }
    return bans;
}

std::vector<Stop> stops_of(const std::vector<Ban>& bans, const HerdLog& log) {
    std::vector<Stop> stops;
    for (const Ban& ban : bans) {
        Stop stop;
        const Pause pause = pause_of(ban, log.sent);
        if (pause.in_force_ns != 0) {
            look_at_waiters(pause, log.told, stop);
            look_at_permits(pause, log.sent, stop);
        }
        stop.not_on_their_way = static_cast<std::uint64_t>(std::count_if(
            ban.knocks.begin(), ban.knocks.end(),
            [&](const Arrival& knock) { return !was_on_its_way(knock, pause, log.sent); }));
        stops.push_back(stop);
    }
    return stops;
}

}  // namespace demo
