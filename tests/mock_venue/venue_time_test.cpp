// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/venue_time.hpp"

#include "mock_venue/moments.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

TEST_CASE("waits are rounded up, so that obeying them is never too early") {
    CHECK(seconds_up(0ns) == 0);
    CHECK(seconds_up(1ns) == 1);
    CHECK(seconds_up(1s) == 1);
    CHECK(seconds_up(1s + 1ns) == 2);
    CHECK(epoch_ms_up(at(1ns)) == 1'893'456'000'001);
    CHECK(epoch_ms_up(at(0s)) == 1'893'456'000'000);
    CHECK(epoch_ms(at(1ns)) == 1'893'456'000'000);
}

TEST_CASE("dates are IMF-fixdate") {
    CHECK(http_date(at(3s + 999ms)) == "Tue, 01 Jan 2030 00:00:03 GMT");
    CHECK(http_date(Instant{784'111'777s}) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(http_date(Instant{1'709'251'199s}) == "Thu, 29 Feb 2024 23:59:59 GMT");
}
