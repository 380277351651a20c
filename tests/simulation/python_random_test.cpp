// SPDX-License-Identifier: Apache-2.0
//
// The numbers were printed by CPython 3.11: [random.Random(seed).random().hex(), ...].
#include "simulation/python_random.hpp"

#include "support/catch.hpp"

using simulation::PythonRandom;

namespace {

struct Vector {
    std::uint64_t seed;
    double first[3];
    double thousand_and_first;  // draws past one state of 624 words
};

constexpr Vector vectors[] = {
    {0, {0x1.b0580f98a7dbep-1, 0x1.84129978f9c1ap-1, 0x1.aeaa51052e978p-2}, 0x1.ebf1437477ccep-2},
    {1, {0x1.132d8f91b7584p-3, 0x1.b1e2d5b3584f8p-1, 0x1.870d778409f13p-1}, 0x1.699b1d0fc43p-1},
    {42, {0x1.4762f307200c5p-1, 0x1.99c6b5eeb206p-6, 0x1.19a1491f589dcp-2}, 0x1.b5fd9157363f8p-1},
    // The last seed of one 32-bit digit, the first of two, and the largest.
    {4294967295,
     {0x1.454d9227a7013p-1, 0x1.a0274a3720bf8p-3, 0x1.36f8c1616ef77p-1},
     0x1.492df3ceb45eep-2},
    {4294967296,
     {0x1.ced31cb3df17p-4, 0x1.abdb5477a4f26p-2, 0x1.1139c02ebd38p-6},
     0x1.5487e3d9d281p-5},
    {12345678901234567890u,
     {0x1.06273c7710f4dp-1, 0x1.dd1f72a2feb81p-1, 0x1.48dd221ca492p-1},
     0x1.1ce71fc824b88p-2},
    {18446744073709551615u,
     {0x1.659799fd7f98p-6, 0x1.5a35a94f333d8p-2, 0x1.b21c0274c09a4p-3},
     0x1.cd4f273d5bd94p-1},
};

}  // namespace

TEST_CASE("P1: the same seed gives the numbers of Python's random()") {
    for (const auto& vector : vectors) {
        PythonRandom random(vector.seed);
        INFO("seed " << vector.seed);
        for (const double expected : vector.first) CHECK(random.unit() == expected);
        for (int i = 0; i < 996; ++i) static_cast<void>(random.unit());
        CHECK(random.unit() == vector.thousand_and_first);
    }
}

TEST_CASE("P1: uniform is Python's a + (b - a) * random()") {
    PythonRandom random(7);
    CHECK(random.uniform(0.5, 1.5) == 0x1.a5cd687ca9d37p-1);
    CHECK(random.uniform(0, 30) == 0x1.21a162cec1f49p+2);
    CHECK(random.uniform(-1, 3) == 0x1.9a8e91062e3fep+0);
}
