// SPDX-License-Identifier: Apache-2.0
//
// The mean of several runs, as Python's statistics.mean gives it.
//
// PROMISE  Summed exactly and rounded once, to the nearest double, whatever the order. Adding
//          doubles up rounds at every step.
// UNITS    Values from 0 to 2^40; what is finer than 2^-64 is cut off. At most a million of them.
// SHARING  A value.
#pragma once

#include <cstdint>

namespace simulation {

class Mean {
  public:
    void add(double value);
    void add(std::uint64_t value) { add(static_cast<double>(value)); }
    std::uint64_t count() const { return count_; }
    /// 0 where nothing was added.
    double value() const;

  private:
    unsigned __int128 sum_ = 0;  // in units of 2^-64
    std::uint64_t count_ = 0;
};

}  // namespace simulation
