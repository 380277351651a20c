// SPDX-License-Identifier: Apache-2.0
#include "simulation/timeline.hpp"

#include "support/catch.hpp"

using simulation::Timeline;

TEST_CASE("an arrival counts in the slice that its instant begins or lies in") {
    Timeline timeline;
    timeline.add(0, true);
    timeline.add(0.0009, false);
    timeline.add(0.001, true);
    timeline.add(3, false);
    CHECK(timeline.slice_ms() == 1);
    REQUIRE(timeline.slices().size() == 3001);
    CHECK(timeline.slices()[0].admitted == 1);
    CHECK(timeline.slices()[0].rejected == 1);
    CHECK(timeline.slices()[1].admitted == 1);
    CHECK(timeline.slices()[3000].rejected == 1);
}

TEST_CASE("however long it takes, slices are few and nothing is lost") {
    Timeline timeline;
    std::uint64_t added = 0;
    for (double at = 0; at < 3.6e8; at = at * 1.01 + 0.01) {
        timeline.add(at, true);
        ++added;
    }
    CHECK(timeline.slices().size() < 10'000);
    std::uint64_t counted = 0;
    for (const auto& slice : timeline.slices()) counted += slice.admitted;
    CHECK(counted == added);
}

TEST_CASE("rows stand for 1, 2 or 5 times a power of ten milliseconds") {
    const std::pair<double, std::int64_t> table[] = {
        {0.019, 1},     {0.02, 2},  {0.0399, 2},   {0.04, 5},       {0.5, 50},
        {19.999, 1000}, {20, 2000}, {99.01, 5000}, {151.5, 10'000}, {2851.5, 200'000}};
    for (const auto& [last, slice_ms] : table) {
        Timeline timeline;
        timeline.add(last, true);
        INFO(last);
        CHECK(timeline.slice_for(20) == slice_ms);
        const auto rows = timeline.in_slices(slice_ms).slices();
        CHECK(rows.size() <= 20);
        CHECK(rows.back().admitted == 1);
    }
}
