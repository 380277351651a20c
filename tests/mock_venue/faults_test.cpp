// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/faults.hpp"

#include <algorithm>
#include <vector>

#include "mock-venue/option_text.hpp"
#include "mock_venue/moments.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

TEST_CASE("a stop at a request begins with that request, once") {
    FaultPlan plan({read_injection("at=3 status=418 retry_after=2s")}, at(0s));
    CHECK_FALSE(plan.meet(1, at(1s)));
    CHECK_FALSE(plan.meet(2, at(2s)));
    const auto fault = plan.meet(3, at(3s));
    REQUIRE(fault);
    CHECK(fault->status == 418);
    CHECK(fault->stop_from == at(3s));
    CHECK(fault->stop_until == at(5s));
    CHECK_FALSE(fault->extends);
    CHECK_FALSE(plan.meet(4, at(4s)));
}

TEST_CASE("a stop at a time begins at that time, whenever the next request comes") {
    FaultPlan plan({read_injection("at_time=3s status=403 retry_after=10s extends=1")}, at(0s));
    CHECK_FALSE(plan.meet(1, at(3s - 1ns)));
    const auto fault = plan.meet(2, at(7s));
    REQUIRE(fault);
    CHECK(fault->status == 403);
    CHECK(fault->stop_from == at(3s));
    CHECK(fault->stop_until == at(13s));
    CHECK(fault->extends);
}

TEST_CASE("a fault without a wait spoils `count` requests in a row") {
    FaultPlan plan({read_injection("at=2 status=504 count=2")}, at(0s));
    CHECK_FALSE(plan.meet(1, at(0s)));
    CHECK(plan.meet(2, at(0s))->status == 504);
    CHECK_FALSE(plan.meet(3, at(0s))->stop_until);
    CHECK_FALSE(plan.meet(4, at(0s)));
}

TEST_CASE("an injection that makes no sense is refused") {
    for (const char* const text :
         {"", "status=418", "at=0", "at=1 at_time=1s", "at=1 status=99", "at=1 count=0", "at=x",
          "at=1 retry_after=2", "at=1 what=2", "at=1 extends=2", "at"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read_injection(text), InvalidText);
    }
}

TEST_CASE("the fates of orders follow from the seed, each chance on its own") {
    const auto draw = [](const OrderChances& chances, std::uint64_t seed) {
        OrderFates fates(chances, seed);
        std::vector<bool> lost;
        for (int i = 0; i < 1000; ++i) lost.push_back(fates.draw().answer_lost);
        return lost;
    };
    const OrderChances tenth{0, 0ns, 0, 100'000};
    const OrderChances tenth_and_slow{500'000, 1s, 500'000, 100'000};
    CHECK(draw(tenth, 7) == draw(tenth, 7));
    CHECK(draw(tenth, 7) == draw(tenth_and_slow, 7));
    CHECK(draw(tenth, 7) != draw(tenth, 8));
    const auto lost = draw(tenth, 7);
    const auto count = std::count(lost.begin(), lost.end(), true);
    CHECK(count > 50);
    CHECK(count < 150);
    const OrderChances always{0, 0ns, 1'000'000, 0};
    CHECK(OrderFates(always, 1).draw().request_lost);
    CHECK_FALSE(OrderFates(OrderChances{}, 1).draw().request_lost);
}
