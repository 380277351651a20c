// SPDX-License-Identifier: Apache-2.0
#include "venue/number.hpp"

namespace ratecoord::venue {
namespace {

constexpr std::uint64_t count_max = std::uint64_t{1} << 53;

// Seconds stay below the first until the year 5138, milliseconds are above it since 1973.
constexpr std::uint64_t seconds_below = 100'000'000'000;
constexpr std::uint64_t milliseconds_below = 100'000'000'000'000;
constexpr std::uint64_t microseconds_below = 100'000'000'000'000'000;

}  // namespace

std::string_view trim(std::string_view text) noexcept {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::optional<std::uint64_t> parse_count(std::string_view text) noexcept {
    if (text.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) {
        if (!is_digit(c)) return std::nullopt;
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
        if (value > count_max) return std::nullopt;
    }
    return value;
}

std::optional<UtcInstant> to_utc_ns(std::uint64_t epoch) noexcept {
    const auto value = static_cast<std::int64_t>(epoch);
    if (epoch < seconds_below) return UtcInstant{multiply_saturating(value, second_ns), true};
    if (epoch < milliseconds_below) return UtcInstant{multiply_saturating(value, 1'000'000), false};
    if (epoch < microseconds_below) return UtcInstant{multiply_saturating(value, 1'000), false};
    return std::nullopt;
}

std::optional<std::int64_t> wait_of(std::uint64_t value, Unit unit, std::int64_t now_ns) noexcept {
    if (value == 0) return std::nullopt;
    if (!is_epoch(unit)) {
        const auto step = unit == Unit::countdown_s ? second_ns : std::int64_t{1'000'000};
        return multiply_saturating(static_cast<std::int64_t>(value), step);
    }
    const auto end = to_utc_ns(value);
    if (!end) return std::nullopt;
    const auto now = end->is_whole_seconds ? now_ns - now_ns % second_ns : now_ns;
    if (end->ns <= now) return std::nullopt;
    const auto extra = end->is_whole_seconds ? second_ns : 0;
    return subtract_saturating(add_saturating(end->ns, extra), now_ns);
}

}  // namespace ratecoord::venue
