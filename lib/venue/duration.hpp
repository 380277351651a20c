// SPDX-License-Identifier: Apache-2.0
//
// Durations as a profile writes them: 250ms, 10s, 1m30s, 3d.
//
//     duration = part { part }     whole numbers; units descend: d h m s ms us ns, each at most
//     once
//
// ERRORS   Nothing for any other text, and for what 64 bits of nanoseconds cannot hold.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ratecoord::venue {

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) noexcept;

/// "1m30s"; "0s". Needs a duration that is not negative.
std::string format_duration(std::chrono::nanoseconds duration);

}  // namespace ratecoord::venue
