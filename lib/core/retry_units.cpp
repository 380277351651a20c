// SPDX-License-Identifier: Apache-2.0
#include "core/retry_units.hpp"

#include <algorithm>

namespace ratecoord::core {

bool spend_retry_units(State& state, std::uint32_t units) noexcept {
    StateHead& head = *state.head;
    const std::uint32_t left = std::min(head.retry_units, retry_units::full);
    if (left < units) {
        if (!state.has(flag_shadow)) return false;
        ++head.shadow_overruns;
    }
    head.retry_units = left - std::min(left, units);
    return true;
}

bool return_retry_units(State& state, std::uint32_t units) noexcept {
    StateHead& head = *state.head;
    const std::uint32_t before = std::min(head.retry_units, retry_units::full);
    const std::uint32_t after = before + std::min(units, retry_units::full - before);
    const bool changed = after != head.retry_units;
    head.retry_units = after;
    return changed;
}

}  // namespace ratecoord::core
