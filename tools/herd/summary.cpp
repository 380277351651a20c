// SPDX-License-Identifier: Apache-2.0
#include "herd/summary.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "herd/reply.hpp"

namespace herd {

namespace {

using nlohmann::json;

void add_call(const json& line, Summary& summary, std::vector<std::int64_t>& waits,
              std::vector<std::uint64_t>& accepted_by_worker) {
    const int status = line.at("status");
    ++summary.calls;
    waits.push_back(line.at("wait_ns"));
    switch (verdict_of(status)) {
        case Verdict::accepted:
            break;
        case Verdict::failed:
            ++summary.failed;
            return;
        default:
            ++summary.rejected[status];
            return;
    }
    ++summary.accepted;
    const std::size_t worker = line.at("worker");
    if (worker < accepted_by_worker.size()) ++accepted_by_worker[worker];
    const std::int64_t since = line.at("replied_ns").get<std::int64_t>() - summary.started_ns;
    summary.last_success_ns = std::max(summary.last_success_ns.value_or(since), since);
}

}  // namespace

std::uint64_t Summary::rejected_calls() const {
    std::uint64_t sum = 0;
    for (const auto& [status, count] : rejected) sum += count;
    return sum;
}

bool Summary::went_well() const {
    return failed_workers == 0 && errors.empty() && gave_up == 0 && !cut_short;
}

std::optional<Spread> spread_of(std::vector<std::int64_t>& values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    const auto rank = [&](std::size_t percent) {
        return values[(values.size() * percent + 99) / 100 - 1];
    };
    return Spread{rank(50), rank(99), values.back()};
}

Tally::Tally(unsigned workers, unsigned threads, std::int64_t started_ns)
    : accepted_by_worker_(workers) {
    summary_.workers = workers;
    summary_.threads = threads;
    summary_.started_ns = started_ns;
}

std::optional<std::int64_t> Tally::add(std::string_view text) {
    const json line = json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("event")) return std::nullopt;
    try {
        const std::string event = line.at("event");
        if (event == "call") add_call(line, summary_, waits_, accepted_by_worker_);
        if (event == "refused") ++summary_.refused[line.at("refusal").get<std::string>()];
        if (event == "moved") ++summary_.moved;
        if (event == "gave_up") ++summary_.gave_up;
        if (event == "error") ++summary_.errors[line.at("message").get<std::string>()];
        if (event == "call") return line.at("granted_ns").get<std::int64_t>();
        if (event == "moved") return line.at("told_ns").get<std::int64_t>();
        return line.value("asked_ns", std::int64_t{0});
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

Summary Tally::finish() {
    summary_.wait = spread_of(waits_);
    const auto [least, most] =
        std::minmax_element(accepted_by_worker_.begin(), accepted_by_worker_.end());
    if (least != accepted_by_worker_.end()) {
        summary_.least_per_worker = *least;
        summary_.most_per_worker = *most;
    }
    return summary_;
}

}  // namespace herd
