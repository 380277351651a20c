// SPDX-License-Identifier: Apache-2.0
//
// The counters against a recount of everything they ever let through, on random arrivals.
#include <algorithm>
#include <random>
#include <vector>

#include "mock-venue/counting.hpp"
#include "mock_venue/moments.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

namespace {

__extension__ using Wide = __int128;

struct Arrival {
    Instant at;
    std::uint64_t units;
};

using History = std::vector<Arrival>;

struct Rule {
    std::uint64_t quota;
    Nanos window;
    std::uint64_t burst;
};

// Would the history hold the rule with one more arrival, no earlier than any other?
bool holds_fixed(const Rule& rule, const History& history, const Arrival& next) {
    const auto window_of = [&](Instant instant) {
        return instant.time_since_epoch() / rule.window;
    };
    std::uint64_t sum = next.units;
    for (const Arrival& each : history) {
        if (window_of(each.at) == window_of(next.at)) sum += each.units;
    }
    return sum <= rule.quota;
}

bool holds_rolling(const Rule& rule, const History& history, const Arrival& next) {
    // Every half-open window that holds `next` and starts at some arrival.
    for (const Arrival& first : history) {
        if (first.at + rule.window <= next.at) continue;
        std::uint64_t sum = next.units;
        for (const Arrival& each : history) {
            if (each.at >= first.at) sum += each.units;
        }
        if (sum > rule.quota) return false;
    }
    return next.units <= rule.quota;
}

bool holds_bucket(const Rule& rule, const History& history, const Arrival& next) {
    // Over any stretch: no more than the bucket holds plus what it regains meanwhile.
    const auto window = static_cast<Wide>(rule.window.count());
    Wide sum = next.units;
    if (sum > rule.burst) return false;
    for (auto first = history.rbegin(); first != history.rend(); ++first) {
        sum += first->units;
        const auto elapsed = static_cast<Wide>((next.at - first->at).count());
        if (sum * window > rule.burst * window + elapsed * rule.quota) return false;
    }
    return true;
}

template <typename CounterType, typename Holds>
void recount(CounterType counter, const Rule& rule, Holds holds, std::uint64_t seed) {
    CAPTURE(seed, rule.quota, rule.window.count(), rule.burst);
    std::mt19937_64 random(seed);
    History history;
    Instant now = midnight + Nanos{random() % 1'000};
    for (int step = 0; step < 300; ++step) {
        const auto window = static_cast<std::uint64_t>(rule.window.count());
        now += Nanos{random() % 4 == 0 ? 0 : random() % (window / 3 + 1)};
        const std::uint64_t units = 1 + random() % std::max(rule.quota, rule.burst);
        CAPTURE(step, units);
        const Nanos wait = counter.wait(units, now);
        REQUIRE((wait == 0ns) == holds(rule, history, Arrival{now, units}));
        if (wait == 0ns) {
            counter.charge(units, now);
            history.push_back({now, units});
        } else if (holds(rule, {}, Arrival{now, units})) {
            // V4: exactly then, and not a nanosecond sooner.
            REQUIRE(holds(rule, history, Arrival{now + wait, units}));
            REQUIRE_FALSE(holds(rule, history, Arrival{now + wait - 1ns, units}));
            if (random() % 3 == 0) now += wait;
        }
    }
}

}  // namespace

TEST_CASE("the counters agree with a naive recount of random arrivals (V1-V4)") {
    const std::uint64_t base = ratecoord::testing::seed();
    INFO("base seed " << base);
    for (std::uint64_t seed = base; seed < base + 60; ++seed) {
        std::mt19937_64 random(seed);
        Rule rule{1 + random() % 20, Nanos{1 + random() % 1'000}, 0};
        recount(FixedWindow(rule.quota, rule.window), rule, holds_fixed, seed);
        recount(RollingWindow(rule.quota, rule.window), rule, holds_rolling, seed);
        rule.burst = 1 + random() % 20;
        recount(TokenBucket(rule.quota, rule.window, rule.burst), rule, holds_bucket, seed);
    }
}
