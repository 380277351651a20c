// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "ratectl/json_value.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/reports/budget_report.hpp"
#include "ratectl/reports/list_report.hpp"
#include "ratectl/table.hpp"
#include "ratectl/wall_clock.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace ratectl;

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t second = 1000 * ms;

}  // namespace

TEST_CASE("B26: a time that is left is rounded up, so that 0 means over") {
    const std::pair<std::int64_t, const char*> table[] = {
        {-1, "now"},
        {0, "now"},
        {1, "1ms"},
        {400 * ms, "400ms"},
        {999 * ms + 1, "1.0s"},
        {second, "1.0s"},
        {12 * second + 340 * ms, "12.4s"},
        {59 * second + 901 * ms, "1m"},
        {60 * second, "1m"},
        {90 * second, "1m30s"},
        {3599 * second + 1, "1h"},
        {5 * 3600 * second + 12 * 60 * second, "5h12m"},
        {76 * 3600 * second, "3d4h"},
    };
    for (const auto& [ns, expected] : table) {
        INFO(ns);
        CHECK(format_left(ns) == expected);
    }
    CHECK(format_age(999 * ms + 999'999) == "999ms");
    CHECK(format_age(-5) == "0ms");
}

TEST_CASE("a rate is rounded down and never shown as nothing") {
    CHECK(format_rate(100'000) == "100.0/s");
    CHECK(format_rate(4'889) == "4.8/s");
    CHECK(format_rate(333) == "0.333/s");
    CHECK(format_rate(0) == "<0.001/s");
}

TEST_CASE("what is not known is a dash") {
    CHECK(format_count(std::nullopt) == "-");
    CHECK(format_counted(1, "client") == "1 client");
    CHECK(format_counted(0, "process", "processes") == "0 processes");
}

TEST_CASE("a table is as wide as its cells, with colour or without") {
    std::ostringstream stream;
    Console console(stream, stream);
    Table table({{"NAME"}, {"COUNT", Align::right}, {"STATE"}});
    table.add({{"a"}, {"5"}, {"idle", Tint::good}});
    table.add({{"l\xc3\xa4nger"}, {"123456"}, {"banned", Tint::alarm}});
    CHECK(table.text(console) ==
          "NAME     COUNT  STATE\n"
          "a            5  idle\n"
          "l\xc3\xa4nger  123456  banned\n");
    console.colour = true;
    CHECK_THAT(table.text(console), Catch::Contains("123456  \x1b[31mbanned\x1b[0m\n"));
}

TEST_CASE("texts of other processes cannot steer the terminal") {
    CHECK(printable("a\x1b[2J\nb\x7f") == "a?[2J?b?");
    std::ostringstream stream;
    Console console(stream, stream);
    Json document = new_document();
    document["label"] = "not UTF-8: \xff";
    console.print_document(document);
    CHECK(stream.str() == "{\"schema\":1,\"label\":\"not UTF-8: \xef\xbf\xbd\"}\n");
}

TEST_CASE("an instant that never comes is null, one beyond the calendar does not overflow") {
    const WallClock clock(second, 0);
    CHECK(clock.value(0).is_null());
    CHECK(clock.value(2 * second) == "1970-01-01T00:00:02.000Z");
    CHECK_THAT(WallClock(0, INT64_MAX).text(INT64_MAX), Catch::StartsWith("2262-"));
}

TEST_CASE("budgets that cannot be read come first, then by state, then by name") {
    using ratecoord::BudgetState;
    const auto budget = [](std::string name, BudgetState state, std::string problem) {
        ListedBudget listed;
        listed.name = std::move(name);
        listed.state = state;
        listed.problem = std::move(problem);
        return listed;
    };
    ListReport report;
    report.budgets = {budget("d", BudgetState::idle, ""), budget("c", BudgetState::busy, ""),
                      budget("b", BudgetState::busy, ""), budget("a", BudgetState::banned, ""),
                      budget("z", BudgetState::idle, "damaged")};
    put_attention_first(report);
    std::string order;
    for (const auto& each : report.budgets) order += each.name;
    CHECK(order == "zabcd");
}

TEST_CASE("show says of which window the outside use is") {
    ratecoord::Snapshot snapshot;
    snapshot.now = 130 * second;
    ratecoord::LimitSnapshot limit;
    limit.definition = {.name = "weight", .quota = 10, .window = std::chrono::minutes(1)};
    limit.definition.kind = ratecoord::LimitKind::fixed;
    limit.cells.resize(1);
    limit.cells[0].outside = 7;
    snapshot.limits = {limit};
    std::ostringstream stream;
    const Console console(stream, stream);
    const auto line_at = [&](std::int64_t from) {
        snapshot.limits[0].cells[0].outside_from = from;
        return render_text(snapshot, "", console);
    };
    CHECK_THAT(line_at(0), Catch::Contains("outside use: 7\n"));
    CHECK_THAT(line_at(120 * second), Catch::Contains("outside use: 7 in this window\n"));
    CHECK_THAT(line_at(60 * second), Catch::Contains("outside use: 7 in the window before\n"));
    CHECK_THAT(line_at(second), Catch::Contains("7 in the window from 1970-01-01T00:00:01Z\n"));
    CHECK(render_json(snapshot, "")["limits"][0]["keys"][0]["outside_use_from_at"] ==
          "1970-01-01T00:00:01.000Z");
}

TEST_CASE("show says what is left of the host-wide retry budget") {
    ratecoord::Snapshot snapshot;
    snapshot.retry_units = 485;
    std::ostringstream stream;
    Console console(stream, stream);
    CHECK_THAT(render_text(snapshot, "", console),
               Catch::Contains("retries: 485 of 500 units left\n"));
    CHECK(render_json(snapshot, "")["retries"].dump() == R"({"units_left":485,"units_full":500})");
    snapshot.retry_units = 4;  // not one more
    console.colour = true;
    CHECK_THAT(render_text(snapshot, "", console), Catch::Contains("\x1b[33m4 of 500 units left"));
}
