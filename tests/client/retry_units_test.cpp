// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/backoff.hpp>

#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

std::uint64_t counter(const Snapshot& snapshot, std::string_view name) {
    for (const auto& [each, count] : snapshot.counters) {
        if (each == name) return count;
    }
    FAIL("no counter " << name);
    return 0;
}

}  // namespace

TEST_CASE("two clients share one retry budget, and the snapshot shows what is left") {
    Scene scene;
    const std::vector limits = {fixed("weight", 100)};
    auto one = scene.open(limits);
    auto two = scene.open(limits);
    CHECK(must(one.snapshot()).retry_units == retry_units::full);
    int allowed = 0;
    while (allowed < 1'000 && must((allowed % 2 == 0 ? one : two).spend_retry_units(10))) ++allowed;
    CHECK(allowed == 50);
    CHECK_FALSE(must(one.spend_retry_units(5)));
    must(two.return_retry_units(5));
    CHECK(must(one.snapshot()).retry_units == 5);
    CHECK(must(one.spend_retry_units(5)));
    const auto snapshot = must(two.snapshot());
    CHECK(snapshot.retry_units == 0);
    CHECK(counter(snapshot, "retries") == 51);
    CHECK(counter(snapshot, "retries_refused") == 2);
}

TEST_CASE("a success gives nothing to a full retry budget, and publishes nothing") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    const auto before = must(budget.snapshot()).version;
    must(budget.return_retry_units(retry_units::first_success));
    CHECK(must(budget.snapshot()).version == before);
    CHECK(must(budget.snapshot()).retry_units == retry_units::full);
}

TEST_CASE("units of the retry budget open no pause and no halt") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    auto cost = must(budget.cost({{"weight", 1}}));
    must(budget.halt("test"));
    must(budget.pause(PauseKind::cooldown, scene.now() + 5s));
    CHECK(must(budget.spend_retry_units(5)));
    must(budget.return_retry_units(5));
    CHECK_FALSE(must(budget.try_acquire(cost)));
    CHECK_FALSE(must(budget.try_acquire(cost.with(Intent::read))));
}
