// SPDX-License-Identifier: Apache-2.0
//
// In which unit a number of a reply tells time.
#pragma once

#include <cstdint>

namespace ratecoord::venue {

enum class Unit : std::uint8_t {
    epoch_s,  ///< seconds since 1970
    epoch_ms,
    epoch_us,
    countdown_s,  ///< seconds from receipt
    countdown_ms,
};

constexpr bool is_epoch(Unit unit) noexcept {
    return unit == Unit::epoch_s || unit == Unit::epoch_ms || unit == Unit::epoch_us;
}

}  // namespace ratecoord::venue
