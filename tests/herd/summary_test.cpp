// SPDX-License-Identifier: Apache-2.0
#include "herd/summary.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "herd/call_log.hpp"
#include "support/catch.hpp"

using namespace herd;

namespace {

std::string call(unsigned worker, int status, std::int64_t asked, std::int64_t granted,
                 std::int64_t replied) {
    return R"({"event":"call","worker":)" + std::to_string(worker) + R"(,"status":)" +
           std::to_string(status) + R"(,"asked_ns":)" + std::to_string(asked) +
           R"(,"granted_ns":)" + std::to_string(granted) + R"(,"replied_ns":)" +
           std::to_string(replied) + R"(,"wait_ns":)" + std::to_string(granted - asked) + '}';
}

}  // namespace

TEST_CASE("a summary counts what the log says") {
    Tally tally(3, 1, 1'000);
    CHECK(tally.add(call(0, 200, 1'000, 1'010, 1'050)) == 1'010);
    tally.add(call(0, 200, 1'050, 1'080, 1'200));
    tally.add(call(1, 429, 1'000, 1'001, 1'100));
    tally.add(call(1, 200, 1'100, 1'300, 1'400));
    tally.add(call(2, 418, 1'000, 1'002, 1'003));
    tally.add(call(2, 0, 1'000, 1'002, 1'003));
    tally.add(R"({"event":"refused","asked_ns":5,"refusal":"paused"})");
    tally.add(R"({"event":"moved","told_ns":7})");
    tally.add(R"({"event":"gave_up","asked_ns":8})");
    tally.add(R"({"event":"error","message":"no budget"})");
    const Summary summary = tally.finish();
    CHECK(summary.calls == 6);
    CHECK(summary.accepted == 3);
    CHECK(summary.rejected == std::map<int, std::uint64_t>{{418, 1}, {429, 1}});
    CHECK(summary.rejected_calls() == 2);
    CHECK(summary.failed == 1);
    CHECK(summary.refused == std::map<std::string, std::uint64_t>{{"paused", 1}});
    CHECK(summary.moved == 1);
    CHECK(summary.gave_up == 1);
    CHECK(summary.last_success_ns == 400);
    REQUIRE(summary.wait.has_value());
    CHECK(summary.wait->p50 == 2);
    CHECK(summary.wait->max == 200);
    CHECK(summary.least_per_worker == 0);
    CHECK(summary.most_per_worker == 2);
    CHECK(summary.errors.at("no budget") == 1);
    CHECK_FALSE(summary.went_well());
}

TEST_CASE("an empty or broken log makes an empty summary") {
    Tally tally(2, 1, 0);
    CHECK_FALSE(tally.add("").has_value());
    CHECK_FALSE(tally.add("{\"event\":\"call\",\"wor").has_value());
    CHECK_FALSE(tally.add("[1,2]").has_value());
    CHECK_FALSE(tally.add("{\"event\":\"call\"}").has_value());
    const Summary summary = tally.finish();
    CHECK_FALSE(summary.last_success_ns.has_value());
    CHECK_FALSE(summary.wait.has_value());
    CHECK(as_text(summary).find("last success: -") != std::string::npos);
    CHECK(as_json(summary).find("\"last_success_seconds\":null") != std::string::npos);
}

TEST_CASE("percentiles are by nearest rank") {
    std::vector<std::int64_t> values;
    for (int i = 100; i >= 1; --i) values.push_back(i);
    const auto spread = spread_of(values);
    REQUIRE(spread.has_value());
    CHECK(spread->p50 == 50);
    CHECK(spread->p99 == 99);
    CHECK(spread->max == 100);
    std::vector<std::int64_t> one{7};
    CHECK(spread_of(one)->p99 == 7);
    std::vector<std::int64_t> none;
    CHECK_FALSE(spread_of(none).has_value());
}

TEST_CASE("what a call log writes is what a summary reads") {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("herd-log-" + std::to_string(::getpid())))
            .string();
    {
        CallLog log(path);
        CallRecord record;
        record.place = {4, 1};
        record.asked_ns = 100;
        record.at_ns = 140;
        record.granted_ns = 150;
        record.sent_ns = 151;
        record.replied_ns = 160;
        record.status = 200;
        record.cost_json = R"({"weight":1})";
        record.keys_json = "{}";
        log.call(record);
        log.refused(record, "not_yet");
        log.moved({{4, 1}, 12, 140, 170, 145});
        log.gave_up(record, "timeout");
        log.error({4, 0}, "a \"quoted\" name\n");
        CHECK(log.complete());
    }
    Tally tally(5, 2, 100);
    std::ifstream file(path);
    int lines = 0;
    for (std::string line; std::getline(file, line); ++lines) CHECK(tally.add(line).has_value());
    std::filesystem::remove(path);
    CHECK(lines == 5);
    const Summary summary = tally.finish();
    CHECK(summary.calls == 1);
    CHECK(summary.accepted == 1);
    CHECK(summary.last_success_ns == 60);
    CHECK(summary.wait->max == 50);
    CHECK(summary.refused.at("not_yet") == 1);
    CHECK(summary.errors.count("a \"quoted\" name\n") == 1);
}
