// SPDX-License-Identifier: Apache-2.0
#include "herd/private_bucket.hpp"

#include "support/catch.hpp"

using herd::PrivateBucket;

namespace {

constexpr std::int64_t second = 1'000'000'000;

}  // namespace

TEST_CASE("a private bucket starts full and then gives its rate") {
    PrivateBucket bucket({10, second, 3}, 0);
    CHECK(bucket.take(1, 0) == 0);
    CHECK(bucket.take(2, 0) == 0);
    CHECK(bucket.take(1, 0) == second / 10);
    CHECK(bucket.take(1, 0) == 2 * second / 10);
    CHECK(bucket.take(1, second / 10) == 3 * second / 10);
}

TEST_CASE("an idle private bucket fills up to its burst and no further") {
    PrivateBucket bucket({10, second, 3}, 0);
    for (int i = 0; i < 3; ++i) bucket.take(1, 0);
    const std::int64_t later = 60 * second;
    for (int i = 0; i < 3; ++i) CHECK(bucket.take(1, later) == later);
    CHECK(bucket.take(1, later) > later);
}

TEST_CASE("a request larger than the burst waits until it is paid off") {
    PrivateBucket bucket({10, second, 3}, 0);
    CHECK(bucket.take(5, 0) == 2 * second / 10);
    CHECK(bucket.take(1, 0) == 3 * second / 10);
}

TEST_CASE("a clock that stands still or goes back gives nothing") {
    PrivateBucket bucket({10, second, 1}, second);
    bucket.take(1, second);
    CHECK(bucket.take(1, second) == second + second / 10);
    CHECK(bucket.take(1, 0) == second + 2 * second / 10);
}
