// SPDX-License-Identifier: Apache-2.0
#include "demo/stage.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "demo/venue_admin.hpp"
#include "herd/instant.hpp"

namespace demo {

namespace {

using herd::boot_now_ns;
using herd::second_ns;
using nlohmann::json;

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Command venue_command(const Workspace& workspace, const std::vector<std::string>& options) {
    // A kept one of an earlier run would send the herd to a port that nobody listens on.
    std::filesystem::remove(workspace.file("port"));
    Command command;
    command.arguments = {workspace.program("mock-venue"),
                         "--log",
                         workspace.file("arrivals.jsonl"),
                         "--port-file",
                         workspace.file("port"),
                         "--run-for",
                         "900"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.output_file = workspace.file("venue.out");
    command.error_file = workspace.file("venue.err");
    return command;
}

Command herd_command(const Workspace& workspace, const std::string& url,
                     const std::vector<std::string>& options, const std::string& prefix) {
    Command command;
    command.arguments = {workspace.program("herd"),
                         "--venue",
                         url,
                         "--log",
                         workspace.file(prefix + "calls.jsonl"),
                         "--label-header",
                         "X-Worker",
                         "--json"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.environment = {"RATECOORD_DIR=" + workspace.budget_directory()};
    command.output_file = workspace.file(prefix + "herd.out");
    command.error_file = workspace.file(prefix + "herd.err");
    return command;
}

std::uint64_t sum_of(const json& counts) {
    std::uint64_t sum = 0;
    for (const auto& count : counts) sum += count.get<std::uint64_t>();
    return sum;
}

double number_or_zero(const json& report, const char* name) {
    const json& value = report.at(name);
    return value.is_null() ? 0 : value.get<double>();
}

// Waits until the venue has written its port.
std::string wait_for_port(Signals& signals, Process& process, const Workspace& workspace) {
    const std::int64_t until = boot_now_ns() + 10 * second_ns;
    while (!process.poll() && boot_now_ns() < until) {
        std::string text = text_of(workspace.file("port"));
        if (text.ends_with('\n')) {
            text.pop_back();
            return text;
        }
        signals.wait(boot_now_ns() + second_ns / 50);
    }
    throw std::runtime_error("the mock venue does not start: " +
                             text_of(workspace.file("venue.err")));
}

}  // namespace

Venue::Venue(Signals& signals, const Workspace& workspace, const std::vector<std::string>& options)
    : signals_(signals),
      log_file_(workspace.file("arrivals.jsonl")),
      process_(venue_command(workspace, options)) {
    port_ = wait_for_port(signals_, process_, workspace);
}

std::string Venue::url() const {
    return "http://127.0.0.1:" + port_;
}

std::optional<VenueNow> Venue::now() const {
    const auto body = ask_venue("GET", url() + "/_mock/stats");
    if (!body) return std::nullopt;
    const json stats = json::parse(*body);
    VenueNow now;
    now.requests = stats.at("requests");
    now.accepted = stats.at("accepted");
    now.rejected = sum_of(stats.at("rejected"));
    now.bans = stats.at("bans").size();
    for (const json& ban : stats.at("bans")) {
        if (ban.at("until_ns") > stats.at("now_ns")) now.banned = true;
    }
    return now;
}

std::vector<Arrival> Venue::close() {
    process_.terminate();
    const std::int64_t until = boot_now_ns() + 10 * second_ns;
    while (!process_.poll() && boot_now_ns() < until) signals_.wait(boot_now_ns() + second_ns / 20);
    if (process_.poll() != 0) {
        throw std::runtime_error("the mock venue did not end well; its log is incomplete");
    }
    return read_arrivals(log_file_);
}

Herd::Herd(Signals& signals, const Workspace& workspace, const Venue& venue,
           const std::vector<std::string>& options, const std::string& prefix)
    : signals_(signals),
      venue_(venue),
      log_file_(workspace.file(prefix + "calls.jsonl")),
      output_file_(workspace.file(prefix + "herd.out")),
      error_file_(workspace.file(prefix + "herd.err")),
      process_(herd_command(workspace, venue.url() + "/demo", options, prefix)) {}

HerdReport Herd::wait(const Watch& watch) {
    const std::int64_t start = boot_now_ns();
    std::int64_t next_look = start + second_ns;
    bool was_told_to_end = false;
    while (!process_.poll()) {
        signals_.wait(next_look);
        if (boot_now_ns() < next_look) continue;
        next_look += second_ns;
        const auto now = venue_.now();
        if (!now || was_told_to_end) continue;
        const double passed = static_cast<double>(boot_now_ns() - start) / 1e9;
        if (watch(passed, *now)) continue;
        was_told_to_end = true;
        process_.terminate();
    }
    // Cut short by us it ends with 1, and its report is whole.
    const int exit_code = *process_.poll();
    return report(was_told_to_end && exit_code == 1 ? 0 : exit_code);
}

HerdReport Herd::report(int exit_code) const {
    const json summary = json::parse(text_of(output_file_), nullptr, false);
    const std::string complaint = text_of(error_file_);
    if (!summary.is_object() || !complaint.empty()) {
        throw std::runtime_error("the herd failed (" + std::to_string(exit_code) +
                                 "): " + complaint);
    }
    HerdReport report;
    report.started_utc_ns = summary.at("started_utc_ns");
    report.gave_up = summary.at("gave_up");
    report.failed = summary.at("failed");
    report.wait_p50_s = number_or_zero(summary, "wait_p50_seconds");
    report.wait_max_s = number_or_zero(summary, "wait_max_seconds");
    report.least_per_worker = summary.at("least_per_worker");
    report.most_per_worker = summary.at("most_per_worker");
    const bool explained = exit_code == 0 || report.gave_up > 0 || report.failed > 0;
    if (!explained) {
        throw std::runtime_error("the herd failed (" + std::to_string(exit_code) + ")");
    }
    return report;
}

HerdLog Herd::log() const {
    return read_herd_log(log_file_);
}

}  // namespace demo
