// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/counting.hpp"

#include <vector>

#include "mock_venue/moments.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

namespace {

// One row: at this instant, these units have to wait this long; they are charged if that is 0.
struct Row {
    Nanos at;
    std::uint64_t units;
    Nanos wait;
    std::uint64_t used_after;
};

void check(Counter& counter, const std::vector<Row>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        CAPTURE(i, row.at.count(), row.units);
        CHECK(counter.wait(row.units, at(row.at)).count() == row.wait.count());
        if (row.wait == 0ns) counter.charge(row.units, at(row.at));
        CHECK(counter.used(at(row.at)) == row.used_after);
    }
}

}  // namespace

TEST_CASE("a fixed window counts from boundary to boundary of the UTC clock (V1)") {
    FixedWindow counter(10, 1min);
    check(counter, {
                       {59s, 10, 0s, 10},
                       {60s - 1ns, 1, 1ns, 10},  // the last nanosecond still belongs to it
                       {60s, 10, 0s, 10},        // the next one is fresh, all at once
                       {60s, 1, 60s, 10},
                       {119s, 1, 1s, 10},
                       {120s, 4, 0s, 4},
                       {121s, 6, 0s, 10},
                       {121s, 11, 59s, 10},  // can never fit: told the end of the window
                   });
}

TEST_CASE("a fixed window need not divide a minute") {
    FixedWindow counter(1, 7s);
    // Midnight is 1,893,456,000 s, which is 2 s into a window of 7 s.
    check(counter, {{0s, 1, 0s, 1}, {4s, 1, 1s, 1}, {5s, 1, 0s, 1}, {11s, 1, 1s, 1}});
}

TEST_CASE("a clock that steps back opens no second window") {
    FixedWindow counter(2, 10s);
    check(counter, {{10s, 2, 0s, 2}, {9s, 1, 11s, 2}, {1s, 1, 19s, 2}, {20s, 1, 0s, 1}});
}

TEST_CASE("closed windows are remembered with what they used") {
    FixedWindow counter(10, 1s);
    counter.charge(3, at(0s));
    counter.charge(12, at(1s));  // counts although it does not fit
    CHECK(counter.used(at(4s)) == 0);
    REQUIRE(counter.closed_windows().size() == 2);
    CHECK(counter.closed_windows()[0].start == at(0s));
    CHECK(counter.closed_windows()[0].used == 3);
    CHECK(counter.closed_windows()[1].used == 12);
}

TEST_CASE("a rolling window forgets each charge exactly one window later (V2)") {
    RollingWindow counter(3, 10s);
    check(counter, {
                       {1s, 1, 0s, 1},
                       {2s, 1, 0s, 2},
                       {3s, 1, 0s, 3},
                       {3s, 1, 8s, 3},
                       {11s - 1ns, 1, 1ns, 3},
                       {11s, 1, 0s, 3},  // [1, 11) does not hold this one
                       {11s, 2, 2s, 3},  // two have to leave: the second at 12 s and 13 s
                       {13s, 2, 0s, 3},
                       {13s, 4, 10s, 3},  // can never fit
                   });
}

TEST_CASE("a rolling window holds the quota across a boundary of the clock") {
    RollingWindow counter(5, 1min);
    check(counter, {{59s, 5, 0s, 5}, {60s, 1, 59s, 5}, {119s - 1ns, 1, 1ns, 5}, {119s, 5, 0s, 5}});
}

TEST_CASE("a rolling window with counted rejections stays full until they leave") {
    RollingWindow counter(2, 10s);
    for (const Nanos each : {0s, 1s, 2s, 3s}) counter.charge(1, at(each));
    CHECK(counter.used(at(3s)) == 4);
    // The charges of 0, 1 and 2 s have to leave.
    CHECK(counter.wait(1, at(3s)) == 9s);
    CHECK(counter.reset_at(at(3s)) == at(13s));
}

TEST_CASE("a token bucket starts full and regains units without rounding (V3)") {
    TokenBucket counter(3, 1s, 5);  // a unit every 333,333,333.3 ns
    check(counter, {
                       {0s, 5, 0s, 5},
                       {0s, 1, 333'333'334ns, 5},
                       {333'333'333ns, 1, 1ns, 5},
                       {333'333'334ns, 1, 0s, 5},
                       {666'666'666ns, 1, 1ns, 5},
                       {666'666'667ns, 1, 0s, 5},  // the thirds are not lost
                       {1s, 1, 0s, 5},
                       {1s, 5, 1'666'666'667ns, 5},
                       {10s, 5, 0s, 5},             // never more than full
                       {11s, 6, 666'666'667ns, 2},  // can never fit: told when it is full
                       {100s, 6, 1s, 0},            // and then, one window
                   });
}

TEST_CASE("a token bucket ignores a clock that steps back") {
    TokenBucket counter(1, 1s, 1);
    check(counter, {{5s, 1, 0s, 1}, {4s, 1, 2s, 1}, {0s, 1, 6s, 1}, {6s, 1, 0s, 1}});
}

TEST_CASE("a changed quota holds from then on and forgets nothing") {
    const LimitSpec fixed = read_limit("a=10/1m");
    const LimitSpec rolling = read_limit("a=10/1m,kind=rolling");
    for (const LimitSpec& spec : {fixed, rolling}) {
        const auto counter = make_counter(spec);
        counter->charge(8, at(0s));
        counter->set_quota(4, 0, at(1s));
        CHECK(counter->wait(1, at(1s)) == 59s);
        counter->set_quota(9, 0, at(2s));
        CHECK(counter->wait(1, at(2s)) == 0s);
        CHECK(counter->wait(2, at(2s)) == 58s);
    }
    TokenBucket bucket(1, 1s, 10);
    bucket.charge(8, at(0s));
    bucket.set_quota(2, 4, at(0s));
    CHECK(bucket.used(at(0s)) == 4);
    CHECK(bucket.wait(1, at(0s)) == 500ms);
}

TEST_CASE("sums of absurd costs saturate instead of wrapping around") {
    constexpr auto most = ~std::uint64_t{0};
    FixedWindow fixed(10, 1min);
    RollingWindow rolling(10, 1min);
    TokenBucket bucket(10, 1min, 10);
    for (Counter* const counter : {static_cast<Counter*>(&fixed), static_cast<Counter*>(&rolling),
                                   static_cast<Counter*>(&bucket)}) {
        CHECK(counter->wait(most, at(1s)) > 0s);
        counter->charge(most, at(1s));
        counter->charge(most, at(2s));
        CHECK(counter->used(at(2s)) >= 10);
        CHECK(counter->wait(1, at(2s)) > 0s);
        CHECK(counter->wait(10, at(1h)) == 0s);
    }
}
