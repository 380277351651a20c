// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "demo/judge.hpp"
#include "demo/scenes.hpp"
#include "herd/summary.hpp"

namespace demo {

namespace {

constexpr const char* scene = "ban";
constexpr std::uint64_t quota = 1'000;  // a second

// Request numbers, so that the 418 meets the herd in full flight, at another place of the second
// each time.
std::vector<std::string> venue_options(unsigned bans) {
    std::vector<std::string> options{"--limit", fmt::format("weight={}/1s", quota)};
    for (unsigned ban = 0; ban < bans; ++ban) {
        options.emplace_back("--inject");
        options.push_back(
            fmt::format("at={} status=418 retry_after=2s", 700 + 700 * ban + 150 * (ban % 4)));
    }
    return options;
}

struct Figures {
    std::vector<std::int64_t> stop_ns;
    std::vector<std::int64_t> told_ns;
    std::uint64_t knocks = 0;
    std::uint64_t not_on_their_way = 0;
    std::uint64_t permits_after = 0;
    std::uint64_t beside_probe = 0;
    std::uint64_t probes_accepted = 0;
    std::uint64_t least_soon = 0;
    std::uint64_t most_soon = 0;
    std::vector<std::int64_t> probe_ns;  // after the end of the ban
};

Figures figures_of(const std::vector<Ban>& bans, const std::vector<Stop>& stops) {
    Figures figures;
    figures.least_soon = bans.empty() ? 0 : bans.front().accepted_soon;
    for (const Ban& ban : bans) {
        figures.stop_ns.push_back(ban.stop_ns);
        figures.knocks += ban.knocks.size();
        figures.least_soon = std::min(figures.least_soon, ban.accepted_soon);
        figures.most_soon = std::max(figures.most_soon, ban.accepted_soon);
        if (ban.first_after_ns) figures.probe_ns.push_back(*ban.first_after_ns);
    }
    for (const Stop& stop : stops) {
        if (stop.last_told_ns) figures.told_ns.push_back(*stop.last_told_ns);
        figures.not_on_their_way += stop.not_on_their_way;
        figures.permits_after += stop.permits_after;
        figures.beside_probe += stop.beside_probe;
        if (stop.probe_status == 200) ++figures.probes_accepted;
    }
    return figures;
}

double p99_ms(std::vector<std::int64_t> values) {
    const auto spread = herd::spread_of(values);
    return spread ? static_cast<double>(spread->p99) / 1e6 : 0;
}

void judge(unsigned wanted, Figures figures, const Counts& counts, Report& report) {
    const auto text = [](std::uint64_t value) { return std::to_string(value); };
    const std::uint64_t bans = figures.stop_ns.size();
    report.hold(scene, "bans of 40 processes at full speed", text(bans), text(wanted),
                bans == wanted);
    const double stop = p99_ms(figures.stop_ns);
    report.hold(scene, "  418 to the venue's last request, p99", fmt::format("{:.1f} ms", stop),
                "<= 20 ms", stop <= 20);
    report.hold(scene, "  requests after those on their way", text(figures.not_on_their_way), "0",
                figures.not_on_their_way == 0);
    report.show(scene, "  requests on their way, in all bans", text(figures.knocks));
    report.hold(scene, "  permits after the pause was set", text(figures.permits_after), "0",
                figures.permits_after == 0);
    const double told = p99_ms(figures.told_ns);
    report.hold(scene, fmt::format("  last waiter told, p99 of {}", figures.told_ns.size()),
                fmt::format("{:.1f} ms", told), "<= 5 ms", told <= 5);
    report.hold(scene, "  probes, each alone and accepted", text(figures.probes_accepted),
                text(wanted), figures.probes_accepted == wanted && figures.beside_probe == 0);
    report.show(scene, "  end of the ban to the probe, p99",
                fmt::format("{:.1f} ms", p99_ms(figures.probe_ns)));
    report.show(scene, fmt::format("  accepted in the 100 ms after it, {} a second allowed", quota),
                fmt::format("{} to {}", figures.least_soon, figures.most_soon));
    report.hold(scene, "  rejected other than by the bans",
                text(counts.rejected - bans - figures.knocks), "0",
                counts.rejected == bans + figures.knocks);
    report.ban_requests = figures.not_on_their_way;
    report.stop_ms_p99 = stop;
}

}  // namespace

void play_ban(Cast& cast) {
    const unsigned wanted = cast.options.bans;
    cast.progress.title(
        fmt::format("ban: 40 processes with one budget at full speed; one of them "
                    "gets a 418, {} times",
                    wanted));
    const Workspace workspace(scene, cast.options.keep, cast.programs);
    Venue venue(cast.signals, workspace, venue_options(wanted));
    Herd herd(cast.signals, workspace, venue,
              {"--workers", "40", "--budget", "demo", "--limit",
               fmt::format("weight={}/1s,kind=fixed,slack=50ms", quota), "--full", "--log-moves",
               "--duration", fmt::format("{}s", 10 * wanted + 20), "--start-at-window", "1s"});
    double over_since = 0;
    herd.wait([&](double passed, const VenueNow& now) {
        cast.progress.tick(passed, fmt::format("{} of {} bans, {} calls, {} rejected", now.bans,
                                               wanted, now.requests, now.rejected));
        const bool over = now.bans >= wanted && !now.banned;
        if (over && over_since == 0) over_since = passed;
        return !over || passed - over_since < 3;
    });
    const auto arrivals = venue.close();
    const auto bans = bans_of(arrivals);
    judge(wanted, figures_of(bans, stops_of(bans, herd.log())), count(arrivals, 0), cast.report);
    cast.progress.done(fmt::format("{} bans; the last request came at most {:.1f} ms after the 418",
                                   bans.size(), *cast.report.stop_ms_p99));
}

}  // namespace demo
