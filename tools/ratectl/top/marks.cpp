// SPDX-License-Identifier: Apache-2.0
#include "ratectl/top/marks.hpp"

#include <algorithm>
#include <array>
#include <cwchar>
#include <optional>

namespace ratectl {

namespace {

struct Glyph {
    std::size_t bytes = 1;
    std::size_t columns = 1;
    bool usable = false;
};

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

// The first character of `text`, which is not empty.
Glyph first_of(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) return {1, 1, lead >= 0x20 && lead != 0x7f};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    if (bytes == 1 || lead > 0xf4 || text.size() < bytes) return {};
    std::uint32_t code = lead & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if (!continues(text[i])) return {};
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
    }
    const int width = ::wcwidth(static_cast<wchar_t>(code));
    // Marks that combine with their neighbour would spoil the columns.
    if (width <= 0) return {bytes, 1, false};
    return {bytes, static_cast<std::size_t>(width), true};
}

constexpr std::array<std::string_view, 8> blocks{"\u2581", "\u2582", "\u2583", "\u2584",
                                                 "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr std::string_view ascii_levels = "_.-:=+*#";

// 0 to 8 for a line that is full at `from` + `range`.
std::size_t level_of(std::uint16_t value, std::uint32_t from, std::uint32_t range) {
    if (value <= from) return 0;
    return std::min<std::size_t>(8, (std::size_t{value} - from) * 8 / range);
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) result += text;
    return result;
}

// The slice that stands in column `column` of `columns`.
std::optional<std::uint16_t> slice_at(const Fullness& past, std::size_t column,
                                      std::size_t columns) {
    const auto behind = columns - column;  // 1: the latest
    if (behind > past.size()) return std::nullopt;
    return past[past.size() - behind];
}

}  // namespace

std::string shown(std::string_view text, bool unicode) {
    std::string result;
    while (!text.empty()) {
        const auto glyph = first_of(text);
        const bool kept = glyph.usable && (unicode || glyph.bytes == 1);
        result += kept ? text.substr(0, glyph.bytes) : "?";
        text.remove_prefix(glyph.bytes);
    }
    return result;
}

std::size_t columns_of(std::string_view shown) {
    std::size_t columns = 0;
    while (!shown.empty()) {
        const auto glyph = first_of(shown);
        columns += glyph.columns;
        shown.remove_prefix(glyph.bytes);
    }
    return columns;
}

std::string fitted(std::string_view shown, std::size_t columns, Align align, bool unicode) {
    const auto taken = columns_of(shown);
    if (taken <= columns) {
        const std::string blanks(columns - taken, ' ');
        return align == Align::right ? blanks + std::string(shown) : std::string(shown) + blanks;
    }
    if (columns == 0) return {};
    std::string result;
    std::size_t used = 0;
    while (!shown.empty()) {
        const auto glyph = first_of(shown);
        if (used + glyph.columns > columns - 1) break;
        result += shown.substr(0, glyph.bytes);
        used += glyph.columns;
        shown.remove_prefix(glyph.bytes);
    }
    result += unicode ? "\u2026" : "~";
    return result + std::string(columns - 1 - used, ' ');
}

std::string bar(std::uint16_t fullness, std::size_t columns, bool unicode) {
    auto filled = std::min<std::size_t>(columns, (fullness * columns + 500) / 1000);
    if (fullness > 0) filled = std::max(filled, std::min<std::size_t>(columns, 1));
    return repeated(unicode ? "\u2588" : "#", filled) +
           repeated(unicode ? "\u2591" : ".", columns - filled);
}

std::string small_plot(const Fullness& past, std::size_t columns, bool unicode) {
    std::string text;
    for (std::size_t i = 0; i < columns; ++i) {
        const auto value = slice_at(past, i, columns);
        if (!value) {
            text += ' ';
            continue;
        }
        // The lowest mark means nothing in use, so that what was looked at can be told from not.
        const std::size_t level =
            *value == 0 ? 0 : 1 + std::min<std::size_t>(6, *value * 7U / 1000);
        if (unicode) {
            text += blocks[level];
        } else {
            text += ascii_levels[level];
        }
    }
    return text;
}

std::vector<std::string> tall_plot(const Fullness& past, std::size_t columns, std::size_t lines,
                                   bool unicode) {
    std::vector<std::string> rows;
    for (std::size_t line = 0; line < lines; ++line) {
        const auto range = static_cast<std::uint32_t>(1000 / lines);
        const auto from = static_cast<std::uint32_t>(lines - 1 - line) * range;
        std::string text;
        for (std::size_t i = 0; i < columns; ++i) {
            const auto value = slice_at(past, i, columns);
            auto level = value ? level_of(*value, from, range) : 0;
            const bool lowest = line + 1 == lines;
            if (lowest && value && *value > 0) level = std::max<std::size_t>(level, 1);
            if (level == 0) {
                text += lowest && value ? (unicode ? "\u2581" : "_") : " ";
            } else if (unicode) {
                text += blocks[level - 1];
            } else {
                text += level >= 4 ? '#' : '.';
            }
        }
        rows.push_back(std::move(text));
    }
    return rows;
}

}  // namespace ratectl
