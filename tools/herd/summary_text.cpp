// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "herd/summary.hpp"

namespace herd {

namespace {

using nlohmann::ordered_json;

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

ordered_json seconds_or_null(const std::optional<std::int64_t>& ns) {
    return ns ? ordered_json(seconds(*ns)) : ordered_json(nullptr);
}

template <typename Counts>
std::string listed(const Counts& counts) {
    std::string text;
    for (const auto& [name, count] : counts) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    }
    return text.empty() ? "0" : text;
}

}  // namespace

std::string as_text(const Summary& summary) {
    std::string text = fmt::format(
        "workers: {} of {} thread{}\n  calls: {}\n  accepted: {}, {} to {} per worker\n",
        summary.workers, summary.threads, summary.threads == 1 ? "" : "s", summary.calls,
        summary.accepted, summary.least_per_worker, summary.most_per_worker);
    text += "  rejected: " + listed(summary.rejected) + '\n';
    if (summary.failed > 0) text += fmt::format("  failed: {}\n", summary.failed);
    if (!summary.refused.empty()) text += "  permits refused: " + listed(summary.refused) + '\n';
    if (summary.moved > 0) text += fmt::format("  reservations moved: {}\n", summary.moved);
    if (summary.gave_up > 0) text += fmt::format("  given up: {}\n", summary.gave_up);
    text += "  last success: ";
    text += summary.last_success_ns
                ? fmt::format("{:.3f}s after the start\n", seconds(*summary.last_success_ns))
                : std::string("-\n");
    if (summary.wait) {
        text += fmt::format("  wait: p50 {:.3f}s, p99 {:.3f}s, max {:.3f}s\n",
                            seconds(summary.wait->p50), seconds(summary.wait->p99),
                            seconds(summary.wait->max));
    }
    if (summary.failed_workers > 0) {
        text += fmt::format("  workers that failed: {}\n", summary.failed_workers);
    }
    if (summary.cut_short) text += "  cut short\n";
    return text;
}

std::string as_json(const Summary& summary) {
    ordered_json rejected = ordered_json::object();
    for (const auto& [status, count] : summary.rejected) rejected[std::to_string(status)] = count;
    ordered_json report{
        {"schema", 1},
        {"workers", summary.workers},
        {"threads", summary.threads},
        {"failed_workers", summary.failed_workers},
        {"cut_short", summary.cut_short},
        {"started_boot_ns", summary.started_ns},
        {"started_utc_ns", summary.started_utc_ns},
        {"calls", summary.calls},
        {"accepted", summary.accepted},
        {"rejected", std::move(rejected)},
        {"failed", summary.failed},
        {"refused", summary.refused},
        {"moved", summary.moved},
        {"gave_up", summary.gave_up},
        {"last_success_seconds", seconds_or_null(summary.last_success_ns)},
        {"least_per_worker", summary.least_per_worker},
        {"most_per_worker", summary.most_per_worker},
        {"errors", summary.errors},
    };
    report["wait_p50_seconds"] = nullptr;
    report["wait_p99_seconds"] = nullptr;
    report["wait_max_seconds"] = nullptr;
    if (summary.wait) {
        report["wait_p50_seconds"] = seconds(summary.wait->p50);
        report["wait_p99_seconds"] = seconds(summary.wait->p99);
        report["wait_max_seconds"] = seconds(summary.wait->max);
    }
    return report.dump() + '\n';
}

}  // namespace herd
