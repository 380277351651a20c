// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "demo/judge.hpp"
#include "demo/scenes.hpp"

namespace demo {

namespace {

struct Crowd {
    const char* scene;
    std::uint64_t processes;
    std::uint64_t threads;
    double most;  // of the bound that the last success may take

    std::uint64_t clients() const { return processes * threads; }
    // Ten leave in each second, the first ten at the start.
    double bound_s() const { return static_cast<double>(clients()) / 10 - 1; }
};

void judge(const Crowd& crowd, const Counts& counts, Report& report) {
    const double last = static_cast<double>(counts.last_success_ns.value_or(0)) / 1e9;
    const double most = crowd.most * crowd.bound_s();
    const bool all = counts.accepted == crowd.clients() && counts.calls == crowd.clients();
    report.hold(crowd.scene, fmt::format("calls of {} clients", crowd.clients()),
                std::to_string(counts.calls), fmt::format("{}", crowd.clients()), all);
    report.hold(crowd.scene, "  rejected", std::to_string(counts.rejected), "0",
                counts.rejected == 0);
    report.hold(crowd.scene, "  last success", fmt::format("{:.2f} s", last),
                fmt::format("<= {:.2f} s", most), counts.last_success_ns && last <= most);
    report.hold(crowd.scene, "  processes seen by the venue", std::to_string(counts.senders),
                std::to_string(crowd.processes), counts.senders == crowd.processes);
    report.calls = counts.calls;
    report.rejected = counts.rejected;
    report.last_success_s = last;
    report.bound_s = crowd.bound_s();
}

void play_crowd(const Crowd& crowd, Cast& cast) {
    cast.progress.title(
        fmt::format("{}: {} clients in {} processes with one budget, 10 calls a "
                    "second allowed",
                    crowd.scene, crowd.clients(), crowd.processes));
    const Workspace workspace(crowd.scene, cast.options.keep, cast.programs);
    Venue venue(cast.signals, workspace, {"--limit", "weight=10/1s"});
    Herd herd(
        cast.signals, workspace, venue,
        {"--workers", std::to_string(crowd.processes), "--threads", std::to_string(crowd.threads),
         "--budget", "demo", "--limit", "weight=10/1s,kind=fixed,slack=50ms", "--full", "--timeout",
         "4m", "--start-at-window", "1s"});
    const HerdReport said = herd.wait([&](double passed, const VenueNow& now) {
        cast.progress.calls(passed, now);
        return true;
    });
    const Counts counts = count(venue.close(), said.started_utc_ns);
    judge(crowd, counts, cast.report);
    cast.progress.done(
        fmt::format("{} calls, {} rejected, the last after {:.2f} s (bound {:.1f} s)", counts.calls,
                    counts.rejected, *cast.report.last_success_s, crowd.bound_s()));
}

}  // namespace

void play_shared(Cast& cast) {
    play_crowd({"shared", 100, 1, 1.02}, cast);
}

void play_thousand(Cast& cast) {
    play_crowd({"thousand", 40, 25, 1.01}, cast);
}

}  // namespace demo
