// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/metrics.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace coordinatord;

namespace {

ratecoord::Snapshot budget() {
    ratecoord::Snapshot snapshot;
    snapshot.name = "binance";
    snapshot.segment_id = "first";
    snapshot.now = 1'000'000'000;
    snapshot.utc_offset = 1'700'000'000'000'000'000;
    snapshot.counters = {{"lock_takeovers", 2}, {"recoveries", 1}};
    snapshot.limits.resize(1);
    snapshot.limits[0].definition.name = "weight";
    snapshot.limits[0].definition.quota = 6000;
    return snapshot;
}

/// As a segment does it: the limit's sums hold what clients that left have drawn.
void draw(ratecoord::Snapshot& snapshot, std::uint32_t slot, const std::string& label,
          std::uint64_t units) {
    auto& limit = snapshot.limits[0];
    limit.drawn_by.push_back({slot, label, 1, 1, units, 1});
    limit.granted_permits += 1;
    limit.granted_units += units;
}

void leave(ratecoord::Snapshot& snapshot) {
    snapshot.limits[0].drawn_by.clear();
}

std::string rendered(Metrics& metrics, const ratecoord::Snapshot& snapshot) {
    Board board;
    board.put(snapshot);
    return metrics.render(board);
}

/// The value of a series; -1 if it is not there.
double value_of(const std::string& text, const std::string& series) {
    const auto at = ("\n" + text).find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size()));
}

double units_of(const std::string& text, const std::string& client) {
    return value_of(text,
                    "ratecoord_units_granted_total{budget=\"binance\",limit=\"weight\",client=\"" +
                        client + "\"}");
}

std::size_t series_in(const std::string& text) {
    std::istringstream lines(text);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);)
        count += line.empty() || line[0] == '#' ? 0 : 1;
    return count;
}

}  // namespace

TEST_CASE("metrics show a budget's limits, stops and counters") {
    auto snapshot = budget();
    draw(snapshot, 0, "bot", 40);
    ratecoord::CellSnapshot cell;
    cell.lanes.resize(2);
    cell.lanes[0].used = 30;
    cell.lanes[1].used = 10;
    cell.outside = 7;
    snapshot.limits[0].cells = {cell, cell};
    snapshot.pause_until[static_cast<std::size_t>(ratecoord::PauseKind::ban)] = 61'000'000'000;
    snapshot.strikes = 3;
    snapshot.halted = true;
    Metrics metrics;
    const auto text = rendered(metrics, snapshot);
    const std::string limit = "{budget=\"binance\",limit=\"weight\"}";
    CHECK(units_of(text, "bot") == 40);
    CHECK(value_of(text, "ratecoord_window_used_units" + limit) == 80);
    CHECK(value_of(text, "ratecoord_outside_use_units" + limit) == 14);
    CHECK(value_of(text, "ratecoord_limit_quota_units" + limit) == 6000);
    const std::string ban = "{budget=\"binance\",kind=\"ban\"}";
    CHECK(value_of(text, "ratecoord_pause_remaining_seconds" + ban) == 60);
    CHECK(value_of(text, "ratecoord_pause_until_seconds" + ban) == 1'700'000'061);
    CHECK(value_of(text, "ratecoord_pause_until_seconds{budget=\"binance\",kind=\"manual\"}") == 0);
    CHECK(value_of(text, "ratecoord_strikes{budget=\"binance\"}") == 3);
    CHECK(value_of(text, "ratecoord_halted{budget=\"binance\"}") == 1);
    CHECK(value_of(text, "ratecoord_lock_takeovers_total{budget=\"binance\"}") == 2);
    CHECK(value_of(text, "ratecoord_recoveries_total{budget=\"binance\"}") == 1);
    CHECK(value_of(text, "ratecoord_budget_up{budget=\"binance\"}") == 1);
}

TEST_CASE("a budget that cannot be seen is down and keeps its last values") {
    Board board;
    Metrics metrics;
    board.put_problem("okx", "it is gone");
    board.put(budget());
    board.put_problem("binance", "it is gone");
    const auto text = metrics.render(board);
    CHECK(value_of(text, "ratecoord_budget_up{budget=\"okx\"}") == 0);
    CHECK(value_of(text, "ratecoord_budget_up{budget=\"binance\"}") == 0);
    CHECK(value_of(text, "ratecoord_halted{budget=\"binance\"}") == 0);
    CHECK(value_of(text, "ratecoord_halted{budget=\"okx\"}") == -1);
}

TEST_CASE("what a label drew is summed over its processes and stays when they leave") {
    Metrics metrics;
    auto snapshot = budget();
    draw(snapshot, 0, "bot", 10);
    draw(snapshot, 1, "bot", 5);
    CHECK(units_of(rendered(metrics, snapshot), "bot") == 15);
    leave(snapshot);
    CHECK(units_of(rendered(metrics, snapshot), "bot") == 15);
    draw(snapshot, 2, "bot", 4);
    const auto text = rendered(metrics, snapshot);
    CHECK(units_of(text, "bot") == 19);
    CHECK(units_of(text, "other") == 0);
}

TEST_CASE("what was drawn by clients that nobody saw is other's") {
    Metrics metrics;
    auto snapshot = budget();
    draw(snapshot, 0, "early", 100);
    leave(snapshot);
    draw(snapshot, 0, "bot", 3);
    const auto text = rendered(metrics, snapshot);
    CHECK(units_of(text, "early") == -1);
    CHECK(units_of(text, "bot") == 3);
    CHECK(units_of(text, "other") == 100);
}

TEST_CASE("10,000 client labels leave a bounded number of series, and no counter falls") {
    Metrics metrics;
    auto snapshot = budget();
    double others = 0;
    std::size_t most = 0;
    std::uint64_t drawn = 0;
    for (std::uint32_t i = 0; i < 10'000; i += 40) {
        leave(snapshot);
        for (std::uint32_t slot = 0; slot < 40; ++slot) {
            draw(snapshot, i + slot, "bot-" + std::to_string(i + slot), 1 + i % 7);
            drawn += 1 + i % 7;
        }
        const auto text = rendered(metrics, snapshot);
        most = std::max(most, series_in(text));
        REQUIRE(units_of(text, "other") >= others);
        others = units_of(text, "other");
    }
    CHECK(most <= 2 * (labels_max + 1) + 30);
    const auto text = rendered(metrics, snapshot);
    double named = 0;
    for (int i = 0; i < 10'000; ++i)
        named += std::max(0.0, units_of(text, "bot-" + std::to_string(i)));
    CHECK(named + others == static_cast<double>(drawn));
}

TEST_CASE("places go to those who draw most, and keys make no series") {
    Metrics metrics;
    auto snapshot = budget();
    for (std::uint32_t i = 0; i < 60; ++i) draw(snapshot, i, "bot-" + std::to_string(i), 1 + i);
    const auto before = rendered(metrics, snapshot);
    CHECK(units_of(before, "bot-59") == 60);
    CHECK(units_of(before, "bot-10") == 11);
    CHECK(units_of(before, "bot-9") == -1);
    CHECK(units_of(before, "other") == 55);
    for (int i = 0; i < 1000; ++i) {
        ratecoord::CellSnapshot cell;
        cell.key = "key-" + std::to_string(i);
        cell.lanes.resize(1);
        snapshot.limits[0].cells.push_back(cell);
    }
    CHECK(series_in(rendered(metrics, snapshot)) == series_in(before));
}

TEST_CASE("a new segment counts from its own beginning") {
    Metrics metrics;
    auto snapshot = budget();
    draw(snapshot, 0, "bot", 10);
    CHECK(units_of(rendered(metrics, snapshot), "bot") == 10);
    auto fresh = budget();
    fresh.segment_id = "second";
    draw(fresh, 0, "bot", 2);
    CHECK(units_of(rendered(metrics, fresh), "bot") == 2);
}

TEST_CASE("promtool finds nothing wrong with the metrics") {
    if (std::system("command -v promtool >/dev/null 2>&1") != 0) {
        WARN("not checked: there is no promtool (Debian package prometheus)");
        return;
    }
    const ratecoord::testing::ScratchDirectory scratch;
    Metrics metrics;
    auto snapshot = budget();
    draw(snapshot, 0, "a \"bot\" \\ of\ntwo lines", 10);
    const auto file = scratch.path() + "/metrics";
    std::ofstream(file) << rendered(metrics, snapshot);
    std::string said;
    std::FILE* promtool = ::popen(("promtool check metrics <" + file + " 2>&1").c_str(), "r");
    REQUIRE(promtool != nullptr);
    for (int c = std::fgetc(promtool); c != EOF; c = std::fgetc(promtool))
        said += static_cast<char>(c);
    CHECK(::pclose(promtool) == 0);
    CHECK(said.empty());
}

TEST_CASE("every metric that the Grafana dashboard names is there") {
    const char* source = std::getenv("RATECOORD_SOURCE_DIR");
    REQUIRE(source != nullptr);
    std::ifstream file(std::string(source) + "/packaging/grafana/ratecoord.json");
    const auto dashboard = nlohmann::json::parse(file);
    Metrics metrics;
    auto snapshot = budget();
    draw(snapshot, 0, "bot", 10);
    const auto text = rendered(metrics, snapshot);
    const std::regex name("ratecoord_[a-z_]+");
    std::set<std::string> named;
    for (const auto& panel : dashboard.at("panels")) {
        REQUIRE(panel.contains("targets"));
        for (const auto& target : panel.at("targets")) {
            const auto query = target.at("expr").get<std::string>();
            const std::sregex_iterator end;
            for (std::sregex_iterator hit(query.begin(), query.end(), name); hit != end; ++hit) {
                named.insert(hit->str());
            }
        }
    }
    CHECK(named.size() >= 10);
    for (const auto& metric : named) {
        INFO(metric);
        CHECK(text.find("# TYPE " + metric + " ") != std::string::npos);
    }
}
