// SPDX-License-Identifier: Apache-2.0
//
// Runs of the published script under CPython 3.11, seeds 0 to 2.
#include "simulation/herd.hpp"

#include "simulation/work.hpp"
#include "support/catch.hpp"

using namespace simulation;
using namespace simulation_test;
using namespace std::chrono_literals;
using ratecoord::LimitKind;

namespace {

constexpr std::uint64_t plenty = 1'000'000;

struct Published {
    std::uint32_t clients;
    Jitter jitter;
    struct {
        std::uint64_t calls;
        double end;
    } runs[3];
};

constexpr Published published[] = {
    {100, Jitter::none, {{640, 151.5}, {640, 151.5}, {640, 151.5}}},
    {100,
     Jitter::full,
     {{493, 0x1.60805cc57b9aap+4}, {494, 0x1.95432329db6e6p+4}, {490, 0x1.16c04fd4a021bp+4}}},
    {100,
     Jitter::equal,
     {{449, 0x1.cf363dd519101p+3}, {450, 0x1.ce988bb1a023bp+3}, {451, 0x1.ad2d4c7ecb232p+4}}},
    {100,
     Jitter::decorrelated,
     {{368, 0x1.d464dad10a2ccp+3}, {376, 0x1.5a18057da4041p+4}, {378, 0x1.fae882c5d144ap+3}}},
    {1000,
     Jitter::full,
     {{9124, 0x1.db9008ab3aa4bp+6}, {9150, 0x1.d82019972dfa3p+6}, {9172, 0x1.d494fa0021df4p+6}}},
    {1000,
     Jitter::equal,
     {{8292, 0x1.ef52d6831937cp+6}, {8320, 0x1.0066764f75fcep+7}, {8261, 0x1.fdea725e77dacp+6}}},
    {1000,
     Jitter::decorrelated,
     {{9479, 0x1.dfc161ff9b73ap+6}, {9565, 0x1.ebff74530252bp+6}, {9640, 0x1.cfc0fc766c91dp+6}}},
};

Run run(const Workload& workload, Jitter jitter, std::uint64_t seed) {
    return run_herd(workload, BackoffRule{.jitter = jitter}, seed, plenty, nullptr).value();
}

}  // namespace

TEST_CASE("P3: single runs end at the very instant that the published script prints") {
    for (const auto& row : published) {
        const auto workload = work(row.clients, limit(LimitKind::fixed, 10, 1s));
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            const auto got = run(workload, row.jitter, seed);
            INFO(row.clients << " clients, " << name_of(row.jitter) << " jitter, seed " << seed);
            CHECK(got.requests == row.runs[seed].calls);
            CHECK(got.requests - got.rejected == row.clients);
            CHECK(got.last_success == row.runs[seed].end);
        }
    }
}

TEST_CASE("P4: a run that needs one request more than it may is given up") {
    const auto workload = work(100, limit(LimitKind::fixed, 10, 1s));
    const BackoffRule none{.jitter = Jitter::none};
    CHECK(run_herd(workload, none, 0, 640, nullptr).has_value());
    CHECK_FALSE(run_herd(workload, none, 0, 639, nullptr).has_value());
    const auto twelve_years = work(2, limit(LimitKind::spacing, 1, 24h * 366), 6);
    const BackoffRule slow{.jitter = Jitter::none, .base = 3600, .cap = 3600};
    CHECK_FALSE(run_herd(twelve_years, slow, 0, plenty, nullptr).has_value());
}

TEST_CASE("a worker's next call follows the reply, with its backoff begun anew") {
    // One worker, one call per second, no jitter: each call after the first is rejected at once
    // and at +0.5 s, and admitted at +1.5 s.
    const auto back_to_back = run(work(1, limit(LimitKind::spacing, 1, 1s), 3), Jitter::none, 0);
    CHECK(back_to_back.requests == 7);
    CHECK(back_to_back.last_success == 3.0);
    // Replies that take as long as the limit asks pace it by themselves: a request is under way
    // for less than its service time, so the venue sees them nearer or farther.
    const auto served = run(work(1, limit(LimitKind::fixed, 1, 1s), 20, 2), Jitter::none, 0);
    CHECK(served.requests - served.rejected == 20);
    CHECK(served.last_success >= 38);
    CHECK(served.last_success < 40 + 30);
}

TEST_CASE("every arrival is in the timeline once") {
    Timeline timeline;
    const auto workload = work(40, limit(LimitKind::rolling, 10, 1s), 3, 0.08);
    const auto got = run_herd(workload, BackoffRule{}, 5, plenty, &timeline).value();
    Timeline::Slice all;
    for (const auto& slice : timeline.slices()) {
        all.admitted += slice.admitted;
        all.rejected += slice.rejected;
    }
    CHECK(all.admitted == 120);
    CHECK(all.rejected == got.rejected);
}
