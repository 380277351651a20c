// SPDX-License-Identifier: Apache-2.0
//
// Numbers of a reply: strict decimals, and what they say about time.
//
// PROMISE  N1  parse_count takes digits of ASCII only: no sign, fraction, exponent or blank inside;
//              nothing above 2^53, which no JSON reader may be trusted to have kept.
//          N2  to_utc_ns judges an epoch by its size, not by its label alone: seconds where
//              milliseconds are expected, and the reverse, are understood.
//          N3  Nothing wraps; sums and products saturate.
// UNITS    Nanoseconds; UTC since 1970-01-01T00:00:00Z.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "venue/unit.hpp"

namespace ratecoord::venue {

inline constexpr std::int64_t second_ns = 1'000'000'000;
inline constexpr std::int64_t ns_max = std::numeric_limits<std::int64_t>::max();

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// Without the spaces and tabs around it (RFC 9110, 5.6.3).
std::string_view trim(std::string_view text) noexcept;

std::optional<std::uint64_t> parse_count(std::string_view text) noexcept;

constexpr std::int64_t add_saturating(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a > 0 ? ns_max : -ns_max;
}
constexpr std::int64_t subtract_saturating(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return a > b ? ns_max : -ns_max;
}
constexpr std::int64_t multiply_saturating(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(a, b, &product)) return product;
    return (a > 0) == (b > 0) ? ns_max : -ns_max;
}

/// An epoch as nanoseconds. `is_whole_seconds`: the instant may be anywhere in that second.
struct UtcInstant {
    std::int64_t ns = 0;
    bool is_whole_seconds = false;
};
std::optional<UtcInstant> to_utc_ns(std::uint64_t epoch) noexcept;

/// How long from `now` a value of `unit` says to wait; nothing for the past and for now. The end of
/// a second that is named without its parts (B19).
std::optional<std::int64_t> wait_of(std::uint64_t value, Unit unit, std::int64_t now_ns) noexcept;

}  // namespace ratecoord::venue
