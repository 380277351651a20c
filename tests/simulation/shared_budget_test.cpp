// SPDX-License-Identifier: Apache-2.0
#include "simulation/shared_budget.hpp"

#include "simulation/work.hpp"
#include "support/catch.hpp"

using namespace simulation;
using namespace simulation_test;
using namespace std::chrono_literals;
using ratecoord::LimitKind;

TEST_CASE("P5: each kind of limit goes at the rate that its rule keeps up") {
    struct Row {
        ratecoord::LimitDefinition limit;
        std::uint32_t workers;
        double last;
    };
    // rolling: T = (window + slack) / (quota + 1 - burst); spacing: window + slack; bucket: the
    // burst less slack at once, then its own rate.
    const Row table[] = {
        {limit(LimitKind::fixed, 10, 1s), 100, 9.25},
        {limit(LimitKind::rolling, 10, 1s, 1), 101, 100 * 0.125},
        {limit(LimitKind::spacing, 1, 1s), 11, 10 * 1.25},
        {limit(LimitKind::bucket, 4, 1s, 20), 28, 2.25},
    };
    for (const auto& row : table) {
        const auto run = run_shared_budget(work(row.workers, row.limit), 0, nullptr).value();
        INFO(row.workers << " workers, quota " << row.limit.quota);
        CHECK(run.requests == row.workers);
        CHECK(run.rejected == 0);
        CHECK(run.last_success == row.last);
    }
}

TEST_CASE("P6: requests under way for longer than the slack are called late, and may be rejected") {
    auto spaced = limit(LimitKind::spacing, 1, 1s);
    spaced.slack = 5ms;
    const auto late = run_shared_budget(work(40, spaced, 5, 1), 0, nullptr).value();
    CHECK(late.late > 0);
    CHECK(late.rejected > 0);
    CHECK(late.requests == 200 + late.rejected);
    spaced.slack = 1s;
    const auto kept = run_shared_budget(work(40, spaced, 5, 1), 0, nullptr).value();
    CHECK(kept.late == 0);
    CHECK(kept.rejected == 0);
}

TEST_CASE("workers whose replies take no time do not keep each other from their permits") {
    // All of a window's calls fall into one instant; the calendar has room for one of each worker.
    for (const std::uint32_t workers : {1u, 2u, 7u, 100u}) {
        const auto wide = limit(LimitKind::fixed, 1000, 1s);
        const auto run = run_shared_budget(work(workers, wide, 700), 0, nullptr);
        INFO(workers << " workers");
        REQUIRE(run.has_value());
        CHECK(run->requests == 700 * workers);
        CHECK(run->rejected == 0);
        CHECK(run->last_success == (700 * workers - 1) / 1000 + 0.25);
    }
}

TEST_CASE("a limit that is counted per key has one key, a reserve keeps its share") {
    auto keyed = limit(LimitKind::fixed, 10, 1s);
    keyed.per = "account";
    const auto run = run_shared_budget(work(100, keyed), 0, nullptr).value();
    CHECK(run.last_success == 9.25);
    auto reserved = limit(LimitKind::fixed, 10, 1s);
    reserved.reserve_percent = 50;
    CHECK(run_shared_budget(work(100, reserved), 0, nullptr).value().last_success == 19.25);
}

TEST_CASE("a limit that cannot be kept is refused with the library's sentence") {
    const auto zero = run_shared_budget(work(1, limit(LimitKind::fixed, 0, 1s)), 0, nullptr);
    REQUIRE_FALSE(zero);
    CHECK_THAT(zero.error().message, Catch::Contains("quota is 0"));
    auto large = work(1, limit(LimitKind::bucket, 10, 1s));
    large.cost = 11;
    const auto never = run_shared_budget(large, 0, nullptr);
    REQUIRE_FALSE(never);
    CHECK_THAT(never.error().message, Catch::Contains("11 can never fit"));
}

TEST_CASE("a last permit that is decades away is refused, not waited for") {
    // A burst of the whole quota leaves one unit a window.
    const auto slow = limit(LimitKind::rolling, 20, 24h * 360, 20);
    const auto run = run_shared_budget(work(40, slow), 0, nullptr);
    REQUIRE_FALSE(run);
    CHECK_THAT(run.error().message, Catch::Contains("within 10 years"));
}
