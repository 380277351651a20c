// SPDX-License-Identifier: Apache-2.0
//
// When requests reached the venue: how many in each slice of time.
//
// PROMISE  Bounded, however long it takes: from 10,000 slices on ten become one. The first slices
//          are milliseconds.
// UNITS    Instants in seconds, slices in milliseconds.
// SHARING  A value.
#pragma once

#include <cstdint>
#include <vector>

namespace simulation {

class Timeline {
  public:
    struct Slice {
        std::uint64_t admitted = 0;
        std::uint64_t rejected = 0;
    };

    void add(double at, bool admitted);

    std::int64_t slice_ms() const { return slice_ms_; }
    /// From 0 to the last one in which anything came.
    const std::vector<Slice>& slices() const { return slices_; }
    /// Length of a slice of which `rows` are enough: 1, 2 or 5 times a power of ten milliseconds.
    std::int64_t slice_for(std::size_t rows) const;
    /// The same in longer slices. Needs a multiple of the slice, as slice_for() gives it.
    Timeline in_slices(std::int64_t slice_ms) const;

  private:
    static constexpr std::size_t slices_most = 10'000;

    std::int64_t slice_ms_ = 1;
    std::vector<Slice> slices_;
};

}  // namespace simulation
