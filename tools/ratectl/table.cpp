// SPDX-License-Identifier: Apache-2.0
#include "ratectl/table.hpp"

#include <algorithm>

namespace ratectl {

namespace {

// Characters, not bytes: labels may be any UTF-8.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    }));
}

}  // namespace

std::string Table::text(const Console& console) const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t width = width_of(columns_[i].title);
        for (const auto& row : rows_) width = std::max(width, width_of(row[i].text));
        widths.push_back(width);
    }
    std::string text;
    const auto write = [&](const std::vector<Cell>& row) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blanks(widths[i] - width_of(row[i].text), ' ');
            const auto shown = console.tinted(row[i].text, row[i].tint);
            const bool last = i + 1 == row.size();
            text += columns_[i].align == Align::right ? blanks + shown : shown;
            if (columns_[i].align == Align::left && !last) text += blanks;
            text += last ? "\n" : "  ";
        }
    };
    std::vector<Cell> titles;
    for (const auto& column : columns_) titles.push_back({column.title, Tint::none});
    write(titles);
    for (const auto& row : rows_) write(row);
    return text;
}

}  // namespace ratectl
