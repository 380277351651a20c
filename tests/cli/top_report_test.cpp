// SPDX-License-Identifier: Apache-2.0
#include <clocale>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/top_scene.hpp"
#include "ratectl/reports/top_report.hpp"
#include "ratectl/top/marks.hpp"
#include "support/catch.hpp"

using namespace ratectl;
using ratecoord::testing::scene;
using ratecoord::testing::second;

namespace {

TopReport report_after(std::initializer_list<TopSample> samples) {
    TopHistory history;
    for (const auto& sample : samples) history.add(sample);
    return make_top_report(*(samples.end() - 1), history);
}

std::string labels(const TopReport& report) {
    std::string text;
    for (const auto& budget : report.budgets) {
        for (const auto& client : budget.clients) text += client.label + " ";
    }
    return text;
}

}  // namespace

TEST_CASE("a rate is unknown after one sample and known after two") {
    const auto one = report_after({scene(100 * second, 1000)});
    CHECK_FALSE(one.budgets[1].clients[0].permits);
    CHECK_FALSE(one.budgets[1].rows[0].units);
    const auto two = report_after({scene(100 * second, 1000), scene(101 * second, 1050)});
    CHECK(two.budgets[1].clients[0].permits == 25'000);
    CHECK(two.budgets[1].clients[0].units[0] == 50'000);
    CHECK(two.budgets[1].clients[1].permits == 0);
    CHECK(two.budgets[1].rows[0].units == 50'000);
}

TEST_CASE("a rate is that of the last two seconds, not of all that was watched") {
    const auto report = report_after({scene(100 * second, 0), scene(110 * second, 1000),
                                      scene(112 * second, 1000), scene(113 * second, 1000)});
    CHECK(report.budgets[1].rows[0].units == 0);
}

TEST_CASE("a budget made anew starts without a past") {
    auto anew = scene(101 * second, 10);
    anew.budgets[0].snapshot.segment_id = "3";
    const auto report = report_after({scene(100 * second, 1000), anew});
    CHECK_FALSE(report.budgets[1].rows[0].units);
    CHECK(report.budgets[1].rows[0].past.size() == 1);
}

TEST_CASE("a client that took the slot of another has no rate from it") {
    auto later = scene(101 * second, 1000);
    later.budgets[0].snapshot.clients[0].generation = 2;
    const auto report = report_after({scene(100 * second, 10), later});
    CHECK_FALSE(report.budgets[1].clients[0].permits);
    CHECK(report.budgets[1].clients[1].permits == 0);
}

TEST_CASE("the plot keeps the highest of each slice, and nothing where nobody looked") {
    const auto report = report_after({scene(100 * second, 600), scene(101 * second, 3000),
                                      scene(106 * second, 1200), scene(206 * second, 6)});
    const auto& past = report.budgets[1].rows[0].past;
    REQUIRE(past.size() == 4 + 50);
    CHECK(past[0] == 500);  // of 100 and 500
    CHECK(past[1] == 200);  // between two samples: as the later one
    CHECK(past[3] == 200);
    CHECK_FALSE(past[4]);
    CHECK(past.back() == 1);
    TopHistory history;
    for (int i = 0; i < 1000; ++i) history.add(scene((100 + i) * second, 600));
    CHECK(history.fullness("binance", "weight", "").size() == TopHistory::slices_most);
}

TEST_CASE("those that need attention come first, and a ban counts down") {
    const auto report = report_after({scene(100 * second, 1000)});
    REQUIRE(report.budgets[0].name == "kraken");
    CHECK(state_text(report.budgets[0], report.budgets[0].rows[0].now.state) == "banned 1h30m");
    auto sample = scene(100 * second, 1000);
    sample.budgets[0].problem = "damaged";
    CHECK(report_after({sample}).budgets[0].name == "binance");
}

TEST_CASE("clients are sorted by what is asked for, and the other way round") {
    auto report = report_after({scene(100 * second, 1000), scene(101 * second, 1050)});
    const std::pair<const char*, const char*> table[] = {
        {"permits", "md-gateway orders "}, {"units", "md-gateway orders "},
        {"waiting", "orders md-gateway "}, {"refused", "orders md-gateway "},
        {"age", "orders md-gateway "},     {"label", "md-gateway orders "},
        {"pid", "md-gateway orders "},
    };
    for (const auto& [name, order] : table) {
        INFO(name);
        const auto sort = parse_top_sort(name);
        REQUIRE(sort);
        CHECK(name_of(*sort) == name);
        sort_clients(report, *sort, false);
        CHECK(labels(report) == order);
        sort_clients(report, *sort, true);
        CHECK(labels(report) != order);
    }
    CHECK_FALSE(parse_top_sort("weight"));
}

TEST_CASE("a filter keeps a budget whole by its name or state, else what matches in it") {
    const auto kept = [](const char* text) {
        auto report = report_after({scene(100 * second, 1000)});
        keep_matching(report, text);
        std::string names;
        for (const auto& budget : report.budgets) names += budget.name + ":";
        return names + " " + labels(report);
    };
    CHECK(kept("") == "kraken:binance: md-gateway orders ");
    CHECK(kept("BINA") == "binance: md-gateway orders ");
    CHECK(kept("banned") == "kraken: ");
    CHECK(kept("weight") == "binance: md-gateway orders ");
    CHECK(kept("md-") == "binance: md-gateway ");
    CHECK(kept("4177") == "binance: orders ");
    CHECK(kept("main") == "kraken: ");
    CHECK(kept("nothing") == " ");
}

TEST_CASE("what is not known is null in JSON") {
    const auto document = render_json(report_after({scene(100 * second, 1000)}));
    const auto& binance = document["budgets"][1];
    CHECK(binance["clients"][0]["permits_per_second"].is_null());
    CHECK(binance["clients"][0]["units_per_second"]["weight"].is_null());
    CHECK(binance["remaining_seconds"].is_null());
    CHECK(binance["limits"][0]["used"] == 1000);
    CHECK(document["budgets"][0]["remaining_seconds"] == 5400);
}

TEST_CASE("marks take exactly the columns asked for") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    for (const bool unicode : {true, false}) {
        for (std::size_t columns = 0; columns < 30; ++columns) {
            for (const char* text : {"", "orders", "l\xc3\xa4nger", "\xe6\xb3\xa8\xe6\x96\x87",
                                     "bad \xff\xc3", "steer \x1b[2J"}) {
                const auto safe = shown(text, unicode);
                CHECK(columns_of(fitted(safe, columns, Align::left, unicode)) == columns);
                CHECK(columns_of(fitted(safe, columns, Align::right, unicode)) == columns);
                CHECK(safe.find('\x1b') == std::string::npos);
            }
            CHECK(columns_of(bar(333, columns, unicode)) == columns);
            CHECK(columns_of(small_plot({1, std::nullopt, 2000}, columns, unicode)) == columns);
        }
    }
    std::setlocale(LC_CTYPE, "C");
}

TEST_CASE("bars and plots show that something is in use, and how much") {
    CHECK(bar(0, 10, false) == "..........");
    CHECK(bar(1, 10, false) == "#.........");
    CHECK(bar(500, 10, false) == "#####.....");
    CHECK(bar(2000, 10, false) == "##########");
    CHECK(small_plot({0, std::nullopt, 1, 500, 1000, 2000}, 8, false) == "  _ .=##");
    const auto tall = tall_plot({0, 1, 250, 500, 1000}, 6, 2, false);
    CHECK(tall[0] == "     #");
    CHECK(tall[1] == " _.###");
}
