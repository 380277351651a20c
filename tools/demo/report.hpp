// SPDX-License-Identifier: Apache-2.0
//
// What the scenes have shown: one report, as a table, as JSON and as the last line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace demo {

struct Row {
    std::string scene;
    std::string what;
    std::string value;
    std::string bar;  // empty: a figure without a bar
    bool met = true;
};

struct Report {
    std::vector<Row> rows;
    // Of the last line; what no scene has measured is left out.
    std::optional<std::uint64_t> calls;
    std::optional<std::uint64_t> rejected;
    std::optional<double> last_success_s;
    std::optional<double> bound_s;
    std::optional<std::uint64_t> ban_requests;
    std::optional<double> stop_ms_p99;

    void show(const std::string& scene, const std::string& what, const std::string& value);
    void hold(const std::string& scene, const std::string& what, const std::string& value,
              const std::string& bar, bool met);
    std::vector<Row> missed() const;
};

std::string as_table(const Report& report);
std::string as_json(const Report& report);
// "demo: calls=100 rejected=0 ...", without a newline.
std::string last_line(const Report& report);

}  // namespace demo
