// SPDX-License-Identifier: Apache-2.0
//
// What a venue's reply means for the herd.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace herd {

// Where a reply names no usable wait, a stop still has to last: policy F.
//   429  to the start of the venue's next window, at least 1 s
//   418  120 s, the shortest ban that a venue publishes
//   403  60 s
inline constexpr std::int64_t shortest_cooldown_ns = 1'000'000'000;
inline constexpr std::int64_t shortest_ban_ns = 120'000'000'000;
inline constexpr std::int64_t shortest_forbidden_ns = 60'000'000'000;
inline constexpr std::int64_t longest_stop_ns = 366LL * 86'400 * 1'000'000'000;

enum class Verdict : std::uint8_t {
    accepted,  // 2xx
    limited,   // 429
    banned,    // 418, 403
    rejected,  // other 3xx and 4xx: the venue understood, asking again changes nothing
    failed,    // 5xx, or no reply
};

Verdict verdict_of(int status);

// Whole seconds or an HTTP date, as RFC 9110 has it; the wait from `utc_ns` on, at most
// longest_stop_ns. Nothing for any other text, and for what names no time ahead.
std::optional<std::int64_t> read_retry_after(std::string_view value, std::int64_t utc_ns);

}  // namespace herd
