// SPDX-License-Identifier: Apache-2.0
#include "grammar/duration.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "grammar/number.hpp"

namespace ratecoord::grammar {

namespace {

struct Unit {
    std::string_view name;
    std::int64_t ns;
};

constexpr std::array<Unit, 7> units{{{"d", 86'400'000'000'000},
                                     {"h", 3'600'000'000'000},
                                     {"m", 60'000'000'000},
                                     {"s", 1'000'000'000},
                                     {"ms", 1'000'000},
                                     {"us", 1'000},
                                     {"ns", 1}}};

constexpr std::int64_t ns_max = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& rest) {
    std::size_t length = 0;
    while (length < rest.size() && is_digit(rest[length])) ++length;
    const auto digits = rest.substr(0, length);
    rest.remove_prefix(length);
    return digits;
}

// "m" is a prefix of "ms": the unit is all letters up to the next digit.
std::string_view take_unit(std::string_view& rest) {
    std::size_t length = 0;
    while (length < rest.size() && !is_digit(rest[length])) ++length;
    const auto unit = rest.substr(0, length);
    rest.remove_prefix(length);
    return unit;
}

std::optional<std::size_t> find_unit(std::string_view name) {
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i].name == name) return i;
    }
    return std::nullopt;
}

// Adds whole * unit; false if it does not fit.
bool add_whole(std::string_view digits, std::int64_t unit_ns, std::int64_t& sum) {
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

// Adds 0.digits * unit; false if that is finer than a nanosecond.
bool add_fraction(std::string_view digits, std::int64_t unit_ns, std::int64_t& sum) {
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
    std::size_t next_unit = 0;  // the largest that may still come
};

// Reads one part; empty on success, else why it was refused.
std::string take_part(std::string_view& rest, Progress& progress) {
    const auto whole = take_digits(rest);
    if (whole.empty()) return "has no number before " + in_quotes(rest.substr(0, 8));
    std::string_view fraction;
    const bool has_point = rest.starts_with('.');
    if (has_point) {
        rest.remove_prefix(1);
        fraction = take_digits(rest);
        if (fraction.empty()) return "has no digit after its point";
    }
    const auto name = take_unit(rest);
    if (name.empty()) return "needs a unit: ns, us, ms, s, m, h or d";
    const auto unit = find_unit(name);
    if (!unit) {
        return "has the unknown unit " + in_quotes(name) + "; write ns, us, ms, s, m, h or d";
    }
    if (*unit < progress.next_unit) return "does not go from larger units to smaller ones";
    if (has_point && !rest.empty()) return "has a fraction before its last part";
    const auto unit_ns = units[*unit].ns;
    if (!add_whole(whole, unit_ns, progress.sum)) return "is longer than 292 years";
    if (has_point && !add_fraction(fraction, unit_ns, progress.sum)) {
        return "is not a whole number of nanoseconds";
    }
    progress.next_unit = *unit + 1;
    return {};
}

}  // namespace

Result<std::chrono::nanoseconds> parse_duration(std::string_view what, std::string_view text) {
    const auto refused = [&](const std::string& why) {
        return fail(ErrorCode::invalid_argument,
                    std::string(what) + " " + in_quotes(text) + " " + why);
    };
    if (text.empty()) return refused("is empty");
    if (text.front() == '-') return refused("is negative");
    Progress progress;
    for (std::string_view rest = text; !rest.empty();) {
        if (const auto why = take_part(rest, progress); !why.empty()) return refused(why);
    }
    return std::chrono::nanoseconds(progress.sum);
}

std::string format_duration(std::chrono::nanoseconds duration) {
    std::int64_t rest = duration.count();
    if (rest == 0) return "0s";
    std::string text;
    if (rest < 0) {
        text = "-";
        rest = rest == -ns_max - 1 ? ns_max : -rest;
    }
    for (const auto& unit : units) {
        if (rest < unit.ns) continue;
        text += std::to_string(rest / unit.ns);
        text += unit.name;
        rest %= unit.ns;
    }
    return text;
}

}  // namespace ratecoord::grammar
