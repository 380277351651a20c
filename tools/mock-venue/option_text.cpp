// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/option_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace mock_venue {

namespace {

struct Unit {
    std::string_view name;
    std::int64_t ns;
};

constexpr std::array units{
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"h", 3'600'000'000'000},
    Unit{"d", 86'400'000'000'000},
};

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::pair<std::string_view, std::string_view> split_pair(std::string_view text, char separator) {
    const auto at = text.find(separator);
    if (at == std::string_view::npos) {
        throw InvalidText(quoted(text) + " has no '" + std::string(1, separator) + "'");
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> found = split(text, ' ');
    std::erase_if(found, [](std::string_view word) { return word.empty(); });
    return found;
}

std::uint64_t read_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
        throw InvalidText(quoted(text) + " is too large");
    }
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw InvalidText(quoted(text) + " is not a whole number");
    }
    return value;
}

Nanos read_duration(std::string_view text) {
    const auto* const unit_start = std::find_if_not(text.begin(), text.end(), is_digit);
    const auto digits = static_cast<std::size_t>(unit_start - text.begin());
    const std::string_view name = text.substr(digits);
    const auto* const unit = std::find_if(units.begin(), units.end(),
                                          [&](const Unit& known) { return known.name == name; });
    if (unit == units.end()) {
        throw InvalidText(quoted(text) + " is not a duration (such as 250ms, 10s, 1m, 1h or 1d)");
    }
    const std::uint64_t count = digits == 0 ? 1 : read_number(text.substr(0, digits));
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    if (count > static_cast<std::uint64_t>(largest / unit->ns)) {
        throw InvalidText(quoted(text) + " is too long");
    }
    return Nanos{static_cast<std::int64_t>(count) * unit->ns};
}

std::uint32_t read_millionths(std::string_view text) {
    constexpr std::uint32_t certain = 1'000'000;
    const auto point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::string decimals(point == std::string_view::npos ? "0" : text.substr(point + 1));
    const bool digits_only = std::all_of(decimals.begin(), decimals.end(), is_digit);
    if ((whole != "0" && whole != "1") || !digits_only || decimals.empty() || decimals.size() > 6) {
        throw InvalidText(quoted(text) + " is not a probability (0 to 1, at most six decimals)");
    }
    decimals.resize(6, '0');
    const auto value = (whole == "1" ? certain : 0) + read_number(decimals);
    if (value > certain) throw InvalidText(quoted(text) + " is more than 1");
    return static_cast<std::uint32_t>(value);
}

}  // namespace mock_venue
