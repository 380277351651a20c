// SPDX-License-Identifier: Apache-2.0
#include "simulation/venue.hpp"

#include "simulation/work.hpp"
#include "support/catch.hpp"

using namespace simulation;
using namespace simulation_test;
using namespace std::chrono_literals;
using ratecoord::LimitKind;

namespace {

struct Arrival {
    double at;
    bool admitted;
};

void check(Venue venue, const std::vector<Arrival>& arrivals) {
    for (const auto& arrival : arrivals) {
        INFO(arrival.at);
        CHECK(venue.admit(arrival.at) == arrival.admitted);
    }
}

}  // namespace

TEST_CASE("a fixed window begins at a multiple of its length, with nothing used") {
    check(Venue(limit(LimitKind::fixed, 2, 1s), 1), {{0.9, true},
                                                     {0.95, true},
                                                     {0.999, false},
                                                     {1, true},
                                                     {1.5, true},
                                                     {1.999, false},
                                                     {7, true}});
}

TEST_CASE("a rolling window counts what was admitted less than its length ago") {
    check(Venue(limit(LimitKind::rolling, 2, 1s), 1), {{0.9, true},
                                                       {0.95, true},
                                                       {1, false},
                                                       {1.875, false},
                                                       {1.9, true},
                                                       {1.93, false},
                                                       {1.95, true}});
}

TEST_CASE("spacing admits again after one window and no sooner") {
    check(Venue(limit(LimitKind::spacing, 1, 500ms), 1),
          {{0, true}, {0.25, false}, {0.499, false}, {0.5, true}, {0.75, false}, {1, true}});
}

TEST_CASE("a bucket holds its burst, then regains its rate") {
    check(Venue(limit(LimitKind::bucket, 4, 1s, 2), 1), {{0, true},
                                                         {0, true},
                                                         {0, false},
                                                         {0.125, false},
                                                         {0.25, true},
                                                         {0.375, false},
                                                         {10, true},
                                                         {10, true},
                                                         {10, false}});
}

TEST_CASE("a bucket loses nothing to the rounding of an exact pace") {
    Venue venue(limit(LimitKind::bucket, 10, 1s, 1), 1);
    for (int i = 0; i < 100'000; ++i) {
        INFO(i);
        REQUIRE(venue.admit(i * 0.1));
    }
}

TEST_CASE("a request of several units takes as many") {
    check(Venue(limit(LimitKind::fixed, 10, 1s), 3),
          {{0, true}, {0, true}, {0, true}, {0, false}, {1, true}});
    check(Venue(limit(LimitKind::bucket, 10, 1s, 6), 3),
          {{0, true}, {0, true}, {0, false}, {0.25, false}, {0.3, true}});
}

TEST_CASE("nothing is admitted before the bound, and what comes as early as it can is") {
    struct Row {
        ratecoord::LimitDefinition limit;
        std::uint64_t cost;
        std::uint64_t requests;
        double bound;
    };
    const Row table[] = {{limit(LimitKind::fixed, 10, 1s), 1, 100, 9},
                         {limit(LimitKind::fixed, 10, 1s), 1, 101, 10},
                         {limit(LimitKind::fixed, 10, 1s), 3, 7, 2},
                         {limit(LimitKind::rolling, 10, 1s), 1, 1000, 99},
                         {limit(LimitKind::spacing, 1, 2s), 1, 5, 8},
                         {limit(LimitKind::bucket, 4, 1s, 20), 1, 20, 0},
                         {limit(LimitKind::bucket, 4, 1s, 20), 1, 28, 2},
                         {limit(LimitKind::bucket, 4, 1s), 2, 4, 1}};
    for (const auto& row : table) {
        INFO(row.requests << " requests of " << row.cost << " from " << row.limit.quota);
        CHECK(earliest_last(row.limit, row.cost, row.requests) == row.bound);
        Venue venue(row.limit, row.cost);
        std::uint64_t admitted = 0;
        double last = 0;
        for (double at = 0; admitted < row.requests; at += 0.125) {
            while (admitted < row.requests && venue.admit(at)) {
                ++admitted;
                last = at;
            }
        }
        CHECK(last == row.bound);
    }
}
