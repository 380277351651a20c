// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "demo/judge.hpp"
#include "demo/scenes.hpp"

namespace demo {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t window_ns = 10 * second_ns;
constexpr std::uint64_t weight_quota = 6'000;  // in ten seconds

void hold_turns(const char* scene, const HerdLog& log, Report& report) {
    const std::uint64_t found = out_of_turn(log);
    report.hold(scene, "  equal requests out of turn", std::to_string(found), "0", found == 0);
}

// The share of the quota that the emptiest full window used.
double least_use(const std::vector<std::uint64_t>& used, std::uint64_t of) {
    if (used.empty()) return 0;
    return static_cast<double>(*std::min_element(used.begin(), used.end())) /
           static_cast<double>(of);
}

std::string percent(double share) {
    return fmt::format("{:.2f} %", 100 * share);
}

std::vector<std::uint64_t> weight_used(const std::vector<Arrival>& arrivals, const HerdReport& said,
                                       std::int64_t length_ns) {
    return used_by_window(arrivals, "weight", window_ns, said.started_utc_ns,
                          said.started_utc_ns + length_ns);
}

}  // namespace

void play_saturation(Cast& cast) {
    constexpr const char* scene = "saturation";
    constexpr std::int64_t length_ns = 60 * second_ns;
    cast.progress.title(
        "saturation: 64 processes, costs of 1 to 50, 6000 units in 10 s allowed, 60 s");
    const Workspace workspace(scene, cast.options.keep, cast.programs);
    Venue venue(cast.signals, workspace, {"--limit", "weight=6000/10s"});
    Herd herd(cast.signals, workspace, venue,
              {"--workers", "64", "--budget", "demo", "--limit",
               "weight=6000/10s,kind=fixed,slack=250ms,largest=50", "--full", "--mix",
               "weight=1:50,weight=2:10,weight=5:20,weight=10:10,weight=25:6,weight=50:4",
               "--cost-header", "X-Cost", "--duration", "60s", "--start-at-window", "10s"});
    const HerdReport said = herd.wait([&](double passed, const VenueNow& now) {
        cast.progress.calls(passed, now);
        return true;
    });
    const auto arrivals = venue.close();
    const Counts counts = count(arrivals, said.started_utc_ns);
    const auto used = weight_used(arrivals, said, length_ns);
    const double least = least_use(used, weight_quota);
    cast.report.show(scene, "calls of 64 processes", std::to_string(counts.calls));
    cast.report.hold(scene, "  rejected", std::to_string(counts.rejected), "0",
                     counts.rejected == 0 && counts.calls > 0);
    cast.report.hold(scene, fmt::format("  least used of {} full windows", used.size()),
                     percent(least), ">= 99 %", least >= 0.99 && used.size() >= 5);
    hold_turns(scene, herd.log(), cast.report);
    cast.report.show(scene, "  accepted per process",
                     fmt::format("{} to {}", said.least_per_worker, said.most_per_worker));
    cast.report.calls = counts.calls;
    cast.report.rejected = counts.rejected;
    cast.progress.done(fmt::format("{} calls, {} rejected, at least {} of each window used",
                                   counts.calls, counts.rejected, percent(least)));
}

void play_two_limits(Cast& cast) {
    constexpr const char* scene = "two-limits";
    constexpr std::int64_t length_ns = 40 * second_ns;
    // Orders cost weight, too. Spread over its window, weight is always near its quota and never
    // gone for the rest of it; else every order would wait for the next window and none for its
    // account.
    cast.progress.title(
        "two-limits: 40 processes; half of them place orders, 50 in 10 s per account");
    const Workspace workspace(scene, cast.options.keep, cast.programs);
    Venue venue(
        cast.signals, workspace,
        {"--limit", "weight=6000/10s", "--limit", "orders=50/10s,kind=rolling,per=X-Account"});
    Herd herd(cast.signals, workspace, venue,
              {"--workers",
               "40",
               "--budget",
               "demo",
               "--limit",
               "weight=6000/10s,kind=fixed,spread,slack=250ms,largest=50",
               "--limit",
               "orders=50/10s,kind=rolling,burst=1,slack=50ms,per=account",
               "--full",
               "--mix",
               "weight=1:4,weight=5:4,weight=10:4,weight=25:4,weight=50:4,weight=1+orders=1:20",
               "--mix-per",
               "worker",
               "--keys",
               "orders=acct:a,acct:b",
               "--key-header",
               "X-Account",
               "--cost-header",
               "X-Cost",
               "--duration",
               "40s",
               "--start-at-window",
               "10s"});
    const HerdReport said = herd.wait([&](double passed, const VenueNow& now) {
        cast.progress.calls(passed, now);
        return true;
    });
    const auto arrivals = venue.close();
    const Counts counts = count(arrivals, said.started_utc_ns);
    // With burst 1 the rule says 50 in any 10 s: one each 10.05 s / 50, slack included.
    constexpr double sustained = 50 / 10.05;
    const double orders = std::min(sustained_per_second(arrivals, "orders", "acct:a"),
                                   sustained_per_second(arrivals, "orders", "acct:b"));
    const auto used = weight_used(arrivals, said, length_ns);
    const double least = least_use(used, weight_quota);
    cast.report.show(scene, "calls of 40 processes", std::to_string(counts.calls));
    cast.report.hold(scene, "  rejected", std::to_string(counts.rejected), "0",
                     counts.rejected == 0 && counts.calls > 0);
    cast.report.hold(scene, "  orders per account, of the sustained rate",
                     percent(orders / sustained), ">= 95 %", orders >= 0.95 * sustained);
    cast.report.hold(scene, fmt::format("  weight, least used of {} full windows", used.size()),
                     percent(least), ">= 95 %", least >= 0.95 && used.size() >= 3);
    hold_turns(scene, herd.log(), cast.report);
    cast.report.calls = counts.calls;
    cast.report.rejected = counts.rejected;
    cast.progress.done(fmt::format("{} calls, {} rejected; orders at {}, weight at {} or more",
                                   counts.calls, counts.rejected, percent(orders / sustained),
                                   percent(least)));
}

}  // namespace demo
