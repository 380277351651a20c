// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/watches.hpp"

#include "support/catch.hpp"

using namespace coordinatord;

namespace {

ratecoord::Snapshot with_outside(std::uint64_t units) {
    ratecoord::Snapshot snapshot;
    snapshot.name = "budget";
    snapshot.capacity.reservations = 100;
    snapshot.limits.resize(1);
    snapshot.limits[0].definition.name = "weight";
    snapshot.limits[0].definition.quota = 100;
    snapshot.limits[0].cells.resize(1);
    snapshot.limits[0].cells[0].outside = units;
    return snapshot;
}

}  // namespace

TEST_CASE("outside use above its share is told once, and again after it was below") {
    BudgetWatch watch;
    std::vector<Event> told;
    const auto look = [&](std::uint64_t outside) {
        watch.look(with_outside(outside), {.outside_percent = 10},
                   [&](Event event) { told.push_back(std::move(event)); });
    };
    look(10);
    CHECK(told.empty());
    look(11);
    look(60);
    REQUIRE(told.size() == 1);
    CHECK(told[0].kind == kinds::outside_share);
    CHECK(told[0].text == "weight: 11 of 100 units drawn by others");
    look(0);
    look(50);
    CHECK(told.size() == 2);
}

TEST_CASE("a calendar that is nearly full is told once") {
    BudgetWatch watch;
    int told = 0;
    auto snapshot = with_outside(0);
    for (int waiting : {80, 81, 99, 10, 90}) {
        snapshot.reservations.resize(static_cast<std::size_t>(waiting));
        watch.look(snapshot, {.calendar_percent = 80}, [&](const Event& event) {
            CHECK(event.kind == kinds::calendar_nearly_full);
            ++told;
        });
    }
    CHECK(told == 2);
}

TEST_CASE("a clock that nobody keeps any more is told once") {
    ClockWatch watch;
    int told = 0;
    for (const bool fine : {true, false, false, true, false}) {
        watch.look(fine, 0, [&](const Event&) { ++told; });
    }
    CHECK(told == 2);
}
