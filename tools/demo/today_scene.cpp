// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "demo/judge.hpp"
#include "demo/scenes.hpp"

namespace demo {

namespace {

constexpr const char* scene = "today";

// Everybody with the usual loop: full jitter, base 0.5 s, cap 30 s.
void play_retry_loops(Cast& cast) {
    cast.progress.title(
        "today: 100 clients, each with its own retry loop, 10 calls a second allowed");
    const Workspace workspace("today-retry", cast.options.keep, cast.programs);
    Venue venue(cast.signals, workspace, {"--limit", "weight=10/1s"});
    Herd herd(cast.signals, workspace, venue,
              {"--workers", "100", "--no-budget", "--retry", "full", "--base", "0.5", "--cap", "30",
               "--timeout", "3m", "--start-at-window", "1s"});
    const HerdReport said = herd.wait([&](double passed, const VenueNow& now) {
        cast.progress.calls(passed, now);
        return true;
    });
    const Counts counts = count(venue.close(), said.started_utc_ns);
    const double last = static_cast<double>(counts.last_success_ns.value_or(0)) / 1e9;
    cast.report.show(scene, "calls of 100 clients", std::to_string(counts.calls));
    cast.report.show(scene, "  rejected", std::to_string(counts.rejected));
    cast.report.show(scene, "  last success", fmt::format("{:.2f} s", last));
    cast.progress.done(fmt::format("{} calls for 100 answers, {} rejected, the last after {:.2f} s",
                                   counts.calls, counts.rejected, last));
}

// Everybody with a token bucket that would be right if it were alone.
void play_private_buckets(Cast& cast) {
    cast.progress.title(
        "today: 40 clients, each with a token bucket of its own, 100 a second allowed");
    const Workspace workspace("today-buckets", cast.options.keep, cast.programs);
    Venue venue(
        cast.signals, workspace,
        {"--limit", "weight=100/1s", "--ban-after", "3", "--ban-base", "2s", "--ban-max", "1m"});
    Herd herd(
        cast.signals, workspace, venue,
        {"--workers", "40", "--no-budget", "--private-bucket", "100/1s,burst=10", "--retry", "full",
         "--base", "0.5", "--cap", "30", "--duration", "8s", "--start-at-window", "1s"});
    herd.wait([&](double passed, const VenueNow& now) {
        cast.progress.calls(passed, now);
        return true;
    });
    const auto arrivals = venue.close();
    const Counts counts = count(arrivals, 0);
    const auto banned = static_cast<std::uint64_t>(std::count_if(
        arrivals.begin(), arrivals.end(), [](const Arrival& each) { return each.banned(); }));
    std::int64_t longest_ns = 0;
    for (const Arrival& arrival : arrivals) {
        if (arrival.banned()) {
            longest_ns = std::max(longest_ns, arrival.until_utc_ns - arrival.utc_ns);
        }
    }
    const double longest = static_cast<double>(longest_ns) / 1e9;
    cast.report.show(scene, "40 private buckets, 8 s: accepted",
                     fmt::format("{} of 800", counts.accepted));
    cast.report.show(scene, "  answered 418", std::to_string(banned));
    cast.report.show(scene, "  longest ban named", fmt::format("{:.1f} s", longest));
    cast.progress.done(
        fmt::format("banned: {} of {} calls accepted, {} knocked on a closed door, "
                    "the ban has grown to {:.1f} s",
                    counts.accepted, counts.calls, banned, longest));
}

}  // namespace

void play_today(Cast& cast) {
    play_retry_loops(cast);
    play_private_buckets(cast);
}

}  // namespace demo
