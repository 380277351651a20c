// SPDX-License-Identifier: Apache-2.0
//
// The means were printed by CPython 3.11's statistics.mean.
#include "simulation/mean.hpp"

#include <vector>

#include "support/catch.hpp"

using simulation::Mean;

namespace {

double mean_of(const std::vector<double>& values) {
    Mean mean;
    for (const double value : values) mean.add(value);
    return mean.value();
}

}  // namespace

TEST_CASE("a mean is rounded once") {
    CHECK(mean_of(std::vector<double>(10, 0.1)) == 0.1);  // adding up gives 0.09999999999999999
    CHECK(mean_of({1e9 + 0.1, 0.3, 1e-9}) == 0x1.3de4355777778p+28);
    // Even the correctly rounded sum, divided, is off by the last digit here.
    const std::vector<double> values{
        0x1.9317bd4e73924p+8,  0x1.3dc9a384db2e4p+11, 0x1.1e6a5d0935482p+11, 0x1.7e9a81819c19p+9,
        0x1.7393896697194p+10, 0x1.511e48d105e2bp+10, 0x1.e8b1d9cb96c3ep+10};
    CHECK(mean_of(values) == 0x1.8168fb0764844p+10);
}

TEST_CASE("the mean of counts is their quotient") {
    Mean mean;
    for (const std::uint64_t count : {1u, 2u, 2u}) mean.add(count);
    CHECK(mean.value() == 5.0 / 3);
    CHECK(mean.count() == 3);
}

TEST_CASE("the mean of nothing, and of zeros, is 0") {
    CHECK(Mean().value() == 0);
    CHECK(mean_of({0, 0}) == 0);
}
