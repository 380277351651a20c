// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "demo/judge.hpp"
#include "demo/scenes.hpp"

namespace demo {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t window_ns = 5 * second_ns;
constexpr std::int64_t length_ns = 40 * second_ns;
constexpr unsigned workers = 20;
constexpr std::uint64_t quota = 600;

// What a profile must say for strangers to be seen: where the venue tells its count.
std::string write_profile(const Workspace& workspace) {
    const std::string path = workspace.file("venue.toml");
    std::ofstream file(path);
    file << "schema = 1\n"
            "name = \"venue\"\n"
            "title = \"The demo's venue\"\n"
            "as_of = 2026-01-01\n"
            "source = \"mock-venue(1)\"\n"
            "confidence = \"A\"\n"
            "[limits.weight]\n"
            "kind = \"fixed\"\n"
            "quota = 600\n"
            "window = \"5s\"\n"
            "spread = true\n"
            "[[feedback]]\n"
            "limit = \"weight\"\n"
            "header = \"x-mbx-used-weight-5s\"\n"
            "means = \"used\"\n";
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
    return path;
}

// When each worker had its first reply.
std::int64_t all_have_heard(const HerdLog& log) {
    std::map<unsigned, std::int64_t> first;
    for (const Sent& sent : log.sent) {
        const auto [place, is_new] = first.try_emplace(sent.worker, sent.replied_ns);
        if (!is_new) place->second = std::min(place->second, sent.replied_ns);
    }
    std::int64_t last = 0;
    for (const auto& [worker, at] : first) last = std::max(last, at);
    return last;
}

std::uint64_t rejected_since(const HerdLog& log, std::int64_t from_ns) {
    return static_cast<std::uint64_t>(std::count_if(
        log.sent.begin(), log.sent.end(),
        [&](const Sent& sent) { return sent.status == 429 && sent.sent_ns >= from_ns; }));
}

}  // namespace

void play_strangers(Cast& cast) {
    constexpr const char* scene = "strangers";
    cast.progress.title(
        "strangers: 20 processes with one budget of 600 in 5 s; one process past the budget draws "
        "180 of them");
    const Workspace workspace(scene, cast.options.keep, cast.programs);
    Venue venue(cast.signals, workspace, {"--limit", "weight=600/5s", "--count-rejected", "1"});
    Herd stranger(cast.signals, workspace, venue,
                  {"--workers", "1", "--no-budget", "--retry", "off", "--private-bucket",
                   "180/5s,burst=5", "--duration", "40s", "--start-at-window", "5s"},
                  "stranger-");
    Herd herd(cast.signals, workspace, venue,
              {"--workers", std::to_string(workers), "--budget", "demo", "--limit",
               "weight=600/5s,kind=fixed,spread,slack=250ms", "--full", "--profile",
               write_profile(workspace), "--duration", "40s", "--start-at-window", "5s"});
    const HerdReport said = herd.wait([&](double passed, const VenueNow& now) {
        cast.progress.calls(passed, now);
        return true;
    });
    stranger.wait([](double, const VenueNow&) { return true; });
    const HerdLog log = herd.log();
    const HerdLog others = stranger.log();
    const auto arrivals = venue.close();
    const auto used = used_by_window(arrivals, "weight", window_ns, said.started_utc_ns,
                                     said.started_utc_ns + length_ns);
    const std::uint64_t rejected = rejected_since(log, all_have_heard(log));
    const auto least = used.empty() ? 0 : *std::min_element(used.begin(), used.end());
    cast.report.show(scene, "calls of 20 processes", std::to_string(log.sent.size()));
    cast.report.show(scene, "  calls past the budget", std::to_string(others.sent.size()));
    cast.report.show(scene, "  rejected before each process had a reply",
                     std::to_string(rejected_since(log, 0) - rejected));
    cast.report.hold(scene, "  rejected after that", std::to_string(rejected), "0",
                     rejected == 0 && !log.sent.empty() && !others.sent.empty());
    cast.report.show(scene, "  rejected past the budget",
                     std::to_string(rejected_since(others, 0)));
    cast.report.hold(scene, fmt::format("  least used of {} full windows", used.size()),
                     fmt::format("{} of {}", least, quota), ">= 95 %",
                     least >= quota * 95 / 100 && used.size() >= 6);
    cast.report.calls = log.sent.size();
    cast.report.rejected = rejected;
    cast.progress.done(fmt::format("{} calls, {} past the budget, {} of ours rejected",
                                   log.sent.size(), others.sent.size(), rejected));
}

}  // namespace demo
