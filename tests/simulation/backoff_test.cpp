// SPDX-License-Identifier: Apache-2.0
//
// The waits were printed by the published script's generator under CPython 3.11, with
// random.Random(3), base 0.5 and cap 30: the first eight and the seventieth.
#include "simulation/backoff.hpp"

#include "support/catch.hpp"

using namespace simulation;

namespace {

struct Waits {
    Jitter jitter;
    double first[8];
    double seventieth;
};

constexpr Waits table[] = {
    {Jitter::none, {0.5, 1, 2, 4, 8, 16, 30, 30}, 30},
    {Jitter::full,
     {0x1.e759ff97b7508p-4, 0x1.16a5368858d8dp-1, 0x1.7ad586f53dadep-1, 0x1.353501de56e4ap+1,
      0x1.405e69652cae3p+2, 0x1.0c67fd361124p+0, 0x1.94854ca1dcd58p-2, 0x1.91fc33682768ap+4},
     0x1.8049272fff291p+4},
    {Jitter::equal,
     {0x1.3ceb3ff2f6ea1p-2, 0x1.8b529b442c6c6p-1, 0x1.5eb561bd4f6b8p+0, 0x1.9a9a80ef2b725p+1,
      0x1.a02f34b296572p+2, 0x1.10c67fd361124p+3, 0x1.e652153287735p+3, 0x1.b8fe19b413b45p+4},
     0x1.b0249397ff948p+4},
    {Jitter::decorrelated,
     {0x1.79d67fe5edd42p-1, 0x1.6ec8c7565e6efp+0, 0x1.e7ba1ab13b294p+0, 0x1.d32bd73f49be6p+1,
      0x1.c2746b07ff1c1p+2, 0x1.d9d363ea074c9p+0, 0x1.2210a37a7261dp-1, 0x1.812f458488f87p+0},
     0x1.454140a3c3872p+4},
};

}  // namespace

TEST_CASE("P2: every wait is the double that Python computes") {
    for (const auto& waits : table) {
        const BackoffRule rule{.jitter = waits.jitter};
        PythonRandom random(3);
        Backoff backoff(rule);
        INFO(name_of(waits.jitter));
        for (const double expected : waits.first) CHECK(backoff.next(rule, random) == expected);
        for (int i = 0; i < 61; ++i) static_cast<void>(backoff.next(rule, random));
        CHECK(backoff.next(rule, random) == waits.seventieth);
    }
}

TEST_CASE("the exponent is bounded: after ten thousand retries a wait is still the cap") {
    const BackoffRule rule{.jitter = Jitter::none};
    PythonRandom random(0);
    Backoff backoff(rule);
    double wait = 0;
    for (int i = 0; i < 10'000; ++i) wait = backoff.next(rule, random);
    CHECK(wait == 30);
}

TEST_CASE("jitters are known by their names, and by nothing else") {
    for (const auto jitter : {Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated}) {
        CHECK(jitter_named(name_of(jitter)) == jitter);
    }
    CHECK_FALSE(jitter_named(""));
    CHECK_FALSE(jitter_named("Full"));
    CHECK_FALSE(jitter_named("half"));
}
