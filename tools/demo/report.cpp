// SPDX-License-Identifier: Apache-2.0
#include "demo/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace demo {

namespace {

using nlohmann::ordered_json;

template <typename Value>
ordered_json or_null(const std::optional<Value>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::string verdict(const Row& row) {
    if (row.bar.empty()) return "";
    return row.met ? "met" : "MISSED";
}

}  // namespace

void Report::show(const std::string& scene, const std::string& what, const std::string& value) {
    rows.push_back({scene, what, value, "", true});
}

void Report::hold(const std::string& scene, const std::string& what, const std::string& value,
                  const std::string& bar, bool met) {
    rows.push_back({scene, what, value, bar, met});
}

std::vector<Row> Report::missed() const {
    std::vector<Row> found;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
                 [](const Row& row) { return !row.met; });
    return found;
}

std::string as_table(const Report& report) {
    std::size_t scene = 5;
    std::size_t what = 6;
    std::size_t value = 5;
    std::size_t bar = 3;
    for (const Row& row : report.rows) {
        scene = std::max(scene, row.scene.size());
        what = std::max(what, row.what.size());
        value = std::max(value, row.value.size());
        bar = std::max(bar, row.bar.size());
    }
    std::string text = fmt::format("{:<{}}  {:<{}}  {:>{}}  {:<{}}\n", "SCENE", scene, "FIGURE",
                                   what, "VALUE", value, "BAR", bar);
    std::string last_scene;
    for (const Row& row : report.rows) {
        std::string line = fmt::format("{:<{}}  {:<{}}  {:>{}}  {:<{}}  {}",
                                       row.scene == last_scene ? "" : row.scene, scene, row.what,
                                       what, row.value, value, row.bar, bar, verdict(row));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
        last_scene = row.scene;
    }
    return text;
}

std::string as_json(const Report& report) {
    ordered_json rows = ordered_json::array();
    for (const Row& row : report.rows) {
        rows.push_back({{"scene", row.scene},
                        {"figure", row.what},
                        {"value", row.value},
                        {"bar", row.bar.empty() ? ordered_json(nullptr) : ordered_json(row.bar)},
                        {"met", row.bar.empty() ? ordered_json(nullptr) : ordered_json(row.met)}});
    }
    const ordered_json whole{{"schema", 1},
                             {"met", report.missed().empty()},
                             {"calls", or_null(report.calls)},
                             {"rejected", or_null(report.rejected)},
                             {"last_success_seconds", or_null(report.last_success_s)},
                             {"bound_seconds", or_null(report.bound_s)},
                             {"ban_requests", or_null(report.ban_requests)},
                             {"stop_p99_milliseconds", or_null(report.stop_ms_p99)},
                             {"figures", std::move(rows)}};
    return whole.dump(2) + '\n';
}

std::string last_line(const Report& report) {
    std::string line = "demo:";
    if (report.calls) line += fmt::format(" calls={}", *report.calls);
    if (report.rejected) line += fmt::format(" rejected={}", *report.rejected);
    if (report.last_success_s)
        line += fmt::format(" last_success_s={:.2f}", *report.last_success_s);
    if (report.bound_s) line += fmt::format(" bound_s={:.1f}", *report.bound_s);
    if (report.ban_requests) line += fmt::format(" ban_requests={}", *report.ban_requests);
    if (report.stop_ms_p99) line += fmt::format(" stop_ms_p99={:.1f}", *report.stop_ms_p99);
    return line;
}

}  // namespace demo
