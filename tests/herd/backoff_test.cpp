// SPDX-License-Identifier: Apache-2.0
#include "herd/backoff.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"

using herd::Backoff;
using herd::BackoffRule;
using herd::Jitter;

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t base = 500 * ms;
constexpr std::int64_t cap = 30'000 * ms;

std::vector<std::int64_t> waits(Jitter jitter, std::uint64_t seed, int count) {
    Backoff backoff(BackoffRule{jitter, base, cap}, seed);
    std::vector<std::int64_t> list;
    for (int i = 0; i < count; ++i) list.push_back(backoff.next_ns());
    return list;
}

// min(cap, base * 2^n), slowly.
std::int64_t window(int n) {
    std::int64_t value = base;
    for (int i = 0; i < n && value < cap; ++i) value *= 2;
    return std::min(value, cap);
}

}  // namespace

TEST_CASE("without jitter the windows are waited out as they are") {
    const auto list = waits(Jitter::none, 1, 10);
    for (int n = 0; n < 10; ++n) CHECK(list[static_cast<std::size_t>(n)] == window(n));
}

TEST_CASE("full jitter lies between nothing and the window, equal jitter in its upper half") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto full = waits(Jitter::full, seed, 12);
        const auto equal = waits(Jitter::equal, seed, 12);
        for (int n = 0; n < 12; ++n) {
            const auto at = static_cast<std::size_t>(n);
            CHECK(full[at] >= 0);
            CHECK(full[at] <= window(n));
            CHECK(equal[at] >= window(n) / 2);
            CHECK(equal[at] <= window(n));
        }
    }
}

TEST_CASE("full jitter uses the whole of its window") {
    std::int64_t least = cap;
    std::int64_t most = 0;
    for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
        const auto first = waits(Jitter::full, seed, 1).front();
        least = std::min(least, first);
        most = std::max(most, first);
    }
    CHECK(least < base / 100);
    CHECK(most > base - base / 100);
}

TEST_CASE("decorrelated jitter grows from the last wait, three times at most") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        std::int64_t previous = base;
        for (const std::int64_t wait : waits(Jitter::decorrelated, seed, 50)) {
            CHECK(wait >= base);
            CHECK(wait <= std::min(cap, 3 * previous));
            previous = wait;
        }
    }
}

TEST_CASE("however many retries, no wait passes the cap") {
    for (const Jitter jitter : {Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated}) {
        Backoff backoff(BackoffRule{jitter, base, cap}, 7);
        std::int64_t most = 0;
        std::int64_t least = 0;
        for (int n = 0; n < 5'000; ++n) {
            const std::int64_t wait = backoff.next_ns();
            most = std::max(most, wait);
            least = std::min(least, wait);
        }
        CHECK(most <= cap);
        CHECK(least >= 0);
    }
}

TEST_CASE("a base of a nanosecond and a cap of a day meet only after all doublings") {
    Backoff backoff(BackoffRule{Jitter::none, 1, 86'400'000 * ms}, 1);
    for (int n = 0; n < 46; ++n) CHECK(backoff.next_ns() == std::int64_t{1} << n);
    for (int n = 0; n < 200; ++n) backoff.next_ns();
    CHECK(backoff.next_ns() == 86'400'000 * ms);
}

TEST_CASE("a new call starts from the first window, and a seed repeats its waits") {
    CHECK(waits(Jitter::full, 5, 20) == waits(Jitter::full, 5, 20));
    CHECK(waits(Jitter::full, 5, 20) != waits(Jitter::full, 6, 20));
    Backoff backoff(BackoffRule{Jitter::none, base, cap}, 1);
    backoff.next_ns();
    backoff.next_ns();
    backoff.restart();
    CHECK(backoff.next_ns() == base);
}

TEST_CASE("only the four names are jitters") {
    CHECK(herd::jitter_named("full") == Jitter::full);
    CHECK(herd::jitter_named("equal") == Jitter::equal);
    CHECK(herd::jitter_named("decorrelated") == Jitter::decorrelated);
    CHECK(herd::jitter_named("none") == Jitter::none);
    CHECK_FALSE(herd::jitter_named("Full").has_value());
    CHECK_FALSE(herd::jitter_named("").has_value());
}
