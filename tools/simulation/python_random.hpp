// SPDX-License-Identifier: Apache-2.0
//
// The numbers of Python's random.Random(seed), bit for bit.
//
// PROMISE  P1  Same seed, same numbers as CPython 3 gives: published figures can be computed again.
// SHARING  One thread.
// SOURCE   MT19937 with its init_by_array; 53 bits of a number are made of two draws.
#pragma once

#include <cstdint>
#include <random>

namespace simulation {

class PythonRandom {
  public:
    explicit PythonRandom(std::uint64_t seed);

    /// random.random(): in [0, 1).
    double unit();
    /// random.uniform(a, b).
    double uniform(double a, double b) { return a + (b - a) * unit(); }

  private:
    std::mt19937 engine_;
};

}  // namespace simulation
