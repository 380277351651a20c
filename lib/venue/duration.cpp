// SPDX-License-Identifier: Apache-2.0
#include "venue/duration.hpp"

#include <algorithm>

#include "venue/number.hpp"

namespace ratecoord::venue {
namespace {

using Reason = DurationFault::Reason;

/// "m" is a prefix of "ms": a unit is all letters up to the next digit.
std::string_view take_while(std::string_view& rest, bool digits) noexcept {
    std::size_t length = 0;
    while (length < rest.size() && is_digit(rest[length]) == digits) ++length;
    const auto taken = rest.substr(0, length);
    rest.remove_prefix(length);
    return taken;
}

/// Adds whole * unit; false if it does not fit.
bool add_whole(std::string_view digits, std::int64_t unit_ns, std::int64_t& sum) noexcept {
    std::int64_t whole = 0;
    for (const char c : digits) {
        if (__builtin_mul_overflow(whole, std::int64_t{10}, &whole) ||
            __builtin_add_overflow(whole, std::int64_t{c - '0'}, &whole)) {
            return false;
        }
    }
    return !__builtin_mul_overflow(whole, unit_ns, &whole) &&
           !__builtin_add_overflow(sum, whole, &sum);
}

/// Adds 0.digits * unit; false if that is finer than a nanosecond.
bool add_fraction(std::string_view digits, std::int64_t unit_ns, std::int64_t& sum) noexcept {
    while (!digits.empty() && digits.back() == '0') digits.remove_suffix(1);
    std::int64_t scale = 1;
    std::int64_t numerator = 0;
    constexpr std::size_t digits_max =
        16;  // a day is 2^16 * 5^11 * 27 ns: more cannot come out even
    if (digits.size() > digits_max) return false;
    for (const char c : digits) {
        numerator = numerator * 10 + (c - '0');
        scale *= 10;
    }
    const __int128 product = static_cast<__int128>(numerator) * unit_ns;
    if (product % scale != 0) return false;
    return !__builtin_add_overflow(sum, static_cast<std::int64_t>(product / scale), &sum);
}

struct Progress {
    std::int64_t sum = 0;
    std::size_t next_unit = 0;  ///< the largest that may still come
};

/// Reads one part; why it was refused, if it was.
std::optional<DurationFault> take_part(std::string_view& rest, Fraction fraction,
                                       Progress& progress) noexcept {
    const auto fault = [](Reason reason, std::string_view part = {}) {
        return std::optional(DurationFault{reason, part});
    };
    const auto whole = take_while(rest, true);
    if (whole.empty()) return fault(Reason::no_number, rest);
    std::string_view digits;
    const bool has_point = fraction == Fraction::in_last_part && rest.starts_with('.');
    if (has_point) {
        rest.remove_prefix(1);
        digits = take_while(rest, true);
        if (digits.empty()) return fault(Reason::no_digit_after_point);
    }
    const auto name = take_while(rest, false);
    if (name.empty()) return fault(Reason::no_unit);
    const auto* const unit = std::find_if(duration_units.begin(), duration_units.end(),
                                          [&](const auto& known) { return known.name == name; });
    if (unit == duration_units.end()) return fault(Reason::unknown_unit, name);
    const auto index = static_cast<std::size_t>(unit - duration_units.begin());
    if (index < progress.next_unit) return fault(Reason::units_ascend);
    if (has_point && !rest.empty()) return fault(Reason::early_fraction);
    if (!add_whole(whole, unit->ns, progress.sum)) return fault(Reason::too_long);
    if (has_point && !add_fraction(digits, unit->ns, progress.sum)) {
        return fault(Reason::not_whole);
    }
    progress.next_unit = index + 1;
    return std::nullopt;
}

}  // namespace

tl::expected<std::chrono::nanoseconds, DurationFault> read_duration(std::string_view text,
                                                                    Fraction fraction) noexcept {
    if (text.empty()) return tl::unexpected(DurationFault{});
    Progress progress;
    while (!text.empty()) {
        if (const auto fault = take_part(text, fraction, progress)) return tl::unexpected(*fault);
    }
    return std::chrono::nanoseconds(progress.sum);
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) noexcept {
    const auto read = read_duration(text, Fraction::refused);
    return read ? std::optional(*read) : std::nullopt;
}

std::string format_duration(std::chrono::nanoseconds duration) {
    std::int64_t rest = duration.count();
    if (rest <= 0) return "0s";
    std::string text;
    for (const auto& unit : duration_units) {
        if (rest < unit.ns) continue;
        text += std::to_string(rest / unit.ns);
        text += unit.name;
        rest %= unit.ns;
    }
    return text;
}

}  // namespace ratecoord::venue
