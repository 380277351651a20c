// SPDX-License-Identifier: Apache-2.0
#include "core/backoff.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/time.hpp"
#include "support/catch.hpp"

using namespace ratecoord;
using namespace ratecoord::core;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};
constexpr std::array kinds{Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated};

std::vector<std::int64_t> waits(const Backoff& policy, int count, std::uint64_t random) {
    BackoffRun run;
    std::vector<std::int64_t> result;
    for (int i = 0; i < count; ++i) result.push_back(next_wait_ns(policy, run, random));
    return result;
}

}  // namespace

TEST_CASE("the article's formulas: shortest and longest wait of each kind of jitter") {
    Backoff policy{.base = 500ms, .cap = 30s};
    constexpr std::int64_t ms = millisecond_ns;
    const std::vector<std::int64_t> ceilings{500 * ms,   1'000 * ms,  2'000 * ms,  4'000 * ms,
                                             8'000 * ms, 16'000 * ms, 30'000 * ms, 30'000 * ms};
    std::vector<std::int64_t> halves;
    for (const auto c : ceilings) halves.push_back(c / 2);

    policy.jitter = Jitter::none;
    CHECK(waits(policy, 8, 0) == ceilings);
    CHECK(waits(policy, 8, all_ones) == ceilings);
    policy.jitter = Jitter::full;
    CHECK(waits(policy, 8, 0) == std::vector<std::int64_t>(8, 1));
    CHECK(waits(policy, 8, all_ones) == ceilings);
    policy.jitter = Jitter::equal;
    CHECK(waits(policy, 8, 0) == halves);
    CHECK(waits(policy, 8, all_ones) == ceilings);
    policy.jitter = Jitter::decorrelated;
    CHECK(waits(policy, 8, 0) == std::vector<std::int64_t>(8, 500 * ms));
    CHECK(waits(policy, 8, all_ones) ==
          std::vector<std::int64_t>{1'500 * ms, 4'500 * ms, 13'500 * ms, 30'000 * ms, 30'000 * ms,
                                    30'000 * ms, 30'000 * ms, 30'000 * ms});
}

TEST_CASE("decorrelated jitter grows from its own last wait, as drawn") {
    const Backoff policy{.jitter = Jitter::decorrelated, .base = 100ns, .cap = 1s};
    BackoffRun run;
    CHECK(next_wait_ns(policy, run, std::uint64_t{1} << 63) == 200);  // middle of [100, 300]
    CHECK(next_wait_ns(policy, run, std::uint64_t{1} << 63) == 350);  // of [100, 600]
    CHECK(next_wait_ns(policy, run, 0) == 100);
    CHECK(next_wait_ns(policy, run, all_ones) == 300);
}

TEST_CASE("D20: no attempt, base or factor makes a wait of zero, below zero or over the cap") {
    const std::vector<std::int64_t> attempts{1'000, 2'147'483'647, 4'294'967'296,
                                             -1,    INT64_MAX,     INT64_MIN};
    for (const auto base : {1ms, 100ms, 1'000ms}) {
        for (const std::uint32_t factor : {1'000u, 1'500u, 10'000u, UINT32_MAX, 0u}) {
            const Backoff policy{.base = base, .cap = 60s, .factor_milli = factor};
            std::int64_t before = 0;
            for (std::int64_t attempt = 0; attempt <= 70; ++attempt) {
                const auto ceiling = ceiling_ns(policy, attempt);
                CHECK(ceiling >= before);
                CHECK(ceiling <= 60 * second_ns);
                CHECK(ceiling >= std::chrono::nanoseconds(base).count());
                before = ceiling;
            }
            for (const auto attempt : attempts) {
                CHECK(ceiling_ns(policy, attempt) > 0);
                CHECK(ceiling_ns(policy, attempt) <= 60 * second_ns);
            }
            CHECK(ceiling_ns(policy, INT64_MAX) == before);
            CHECK(ceiling_ns(policy, -1) == ceiling_ns(policy, 0));
        }
    }
    CHECK(ceiling_ns({.base = 1ms, .cap = 60s}, 70) == 60 * second_ns);
}

TEST_CASE("D20: a policy that makes no sense still waits, and not for ever") {
    using std::chrono::nanoseconds;
    const std::vector<nanoseconds> odd{nanoseconds::min(), -1ns, 0ns, 1ns, nanoseconds::max()};
    for (const auto base : odd) {
        for (const auto cap : odd) {
            for (const auto least : odd) {
                for (const auto kind : kinds) {
                    const Backoff policy{kind, base, cap, least, UINT32_MAX};
                    for (const std::uint64_t random : {std::uint64_t{0}, all_ones}) {
                        for (const auto wait : waits(policy, 70, random)) {
                            CHECK(wait > 0);
                            CHECK(wait <= std::clamp<std::int64_t>(cap.count(), 1, far));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("D21: jitter stays between least and cap, and is not lost at the cap") {
    std::mt19937_64 random(20);
    for (const auto kind : {Jitter::full, Jitter::equal, Jitter::decorrelated}) {
        const Backoff policy{.jitter = kind, .base = 100ms, .cap = 10s, .least = 50ms};
        for (std::uint32_t attempt = 0; attempt < 20; ++attempt) {
            std::int64_t least = INT64_MAX;
            std::int64_t most = 0;
            for (int sample = 0; sample < 10'000; ++sample) {
                BackoffRun run{attempt, 10 * second_ns};
                const auto wait = next_wait_ns(policy, run, random());
                least = std::min(least, wait);
                most = std::max(most, wait);
            }
            CHECK(least >= 50 * millisecond_ns);
            CHECK(most <= 10 * second_ns);
            if (attempt < 10) continue;
            // Spread over most of the range that the kind allows, at the cap too.
            CHECK(most - least > 4 * second_ns);
        }
    }
}

TEST_CASE("D21: least equal to cap leaves nothing to draw") {
    for (const auto kind : kinds) {
        const Backoff policy{.jitter = kind, .base = 1ms, .cap = 10s, .least = 10s};
        CHECK(waits(policy, 3, 0) == std::vector<std::int64_t>(3, 10 * second_ns));
        CHECK(waits(policy, 3, all_ones) == std::vector<std::int64_t>(3, 10 * second_ns));
    }
}

TEST_CASE("a draw reaches both ends and every number between them as often") {
    CHECK(draw(0, 0, all_ones) == 0);
    CHECK(draw(0, INT64_MAX, all_ones) == INT64_MAX);
    CHECK(draw(0, INT64_MAX, 0) == 0);
    std::mt19937_64 random(1);
    std::array<int, 8> seen{};
    for (int i = 0; i < 80'000; ++i) ++seen[static_cast<std::size_t>(draw(3, 10, random()) - 3)];
    for (const int count : seen) CHECK(std::abs(count - 10'000) < 500);
}
