// SPDX-License-Identifier: Apache-2.0
#include "simulation/timeline.hpp"

#include <algorithm>
#include <cmath>

namespace simulation {

void Timeline::add(double at, bool admitted) {
    const auto ms = static_cast<std::int64_t>(std::floor(at * 1000));
    while (ms / slice_ms_ >= static_cast<std::int64_t>(slices_most))
        *this = in_slices(10 * slice_ms_);
    const auto index = static_cast<std::size_t>(ms / slice_ms_);
    if (index >= slices_.size()) slices_.resize(index + 1);
    ++(admitted ? slices_[index].admitted : slices_[index].rejected);
}

Timeline Timeline::in_slices(std::int64_t slice_ms) const {
    const auto many = static_cast<std::size_t>(slice_ms / slice_ms_);
    Timeline wide;
    wide.slice_ms_ = slice_ms;
    wide.slices_.resize((slices_.size() + many - 1) / many);
    for (std::size_t i = 0; i < slices_.size(); ++i) {
        wide.slices_[i / many].admitted += slices_[i].admitted;
        wide.slices_[i / many].rejected += slices_[i].rejected;
    }
    return wide;
}

std::int64_t Timeline::slice_for(std::size_t rows) const {
    // A slice is a power of ten here, so that every candidate is a multiple of it.
    for (std::int64_t power = 1;; power *= 10) {
        for (const std::int64_t times : {power, 2 * power, 5 * power}) {
            if (slices_.size() <= rows * static_cast<std::size_t>(times)) return times * slice_ms_;
        }
    }
}

}  // namespace simulation
