// SPDX-License-Identifier: Apache-2.0
#include "simulation/layers.hpp"

#include <ratecoord/backoff.hpp>

#include "support/catch.hpp"

using namespace simulation;
namespace retry_units = ratecoord::retry_units;

namespace {

Storm storm_of(std::uint32_t workers, std::uint32_t layers, std::uint32_t retries) {
    Storm storm;
    storm.workers = workers;
    storm.layers = layers;
    storm.retries = retries;
    return storm;
}

}  // namespace

TEST_CASE("P11: 40 workers with 3 retries inside 3 retries send 640 requests") {
    const Storm storm;
    CHECK(storm.requests_without_budget() == 640);
    CHECK(run_storm(storm, 0).requests == 640);
}

TEST_CASE("P12: with the retry budget the same 40 workers send 140, after timeouts 90") {
    CHECK(run_storm(Storm{}, retry_units::retry).requests == 140);
    CHECK(run_storm(Storm{}, retry_units::retry_after_timeout).requests == 90);
}

TEST_CASE("P11 P12: layers multiply without a retry budget and change nothing with it") {
    for (const std::uint32_t workers : {1u, 7u, 40u}) {
        for (std::uint32_t layers = 1; layers <= 4; ++layers) {
            for (const std::uint32_t retries : {0u, 1u, 3u}) {
                auto storm = storm_of(workers, layers, retries);
                storm.seed = workers + layers;
                INFO(workers << " workers, " << layers << " layers of " << retries);
                const auto all = storm.requests_without_budget().value();
                const auto unbounded = run_storm(storm, 0);
                CHECK(unbounded.requests == all);
                CHECK(unbounded.retries_refused == 0);
                for (const auto price : {retry_units::retry, retry_units::retry_after_timeout}) {
                    const auto most = std::uint64_t{workers} + retry_units::full / price;
                    CHECK(run_storm(storm, price).requests == std::min(all, most));
                }
            }
        }
    }
}

TEST_CASE("each layer waits by its own backoff, and an outer retry begins the inner ones anew") {
    auto storm = storm_of(1, 2, 2);
    storm.backoff.jitter = Jitter::none;
    storm.service_time = 0.25;
    // Waits: inner .5 1, outer .5, inner .5 1, outer 1, inner .5 1: 6 s, and 8 replies.
    const auto run = run_storm(storm, 0);
    CHECK(run.requests == 9);
    CHECK(run.last_request == 6 + 8 * 0.25);
}

TEST_CASE("a storm too large for any number says so") {
    CHECK_FALSE(storm_of(10'000, 16, 1000).requests_without_budget());
}
