// SPDX-License-Identifier: Apache-2.0
#include "ratectl/top/columns.hpp"

#include <algorithm>

#include "ratectl/top/marks.hpp"

namespace ratectl {

namespace {

constexpr std::size_t plot_least = 8;
constexpr std::size_t first_least = 10;  // of the first field, when there is no room

std::size_t width_of(const std::vector<std::size_t>& widths) {
    std::size_t sum = 0;
    for (const auto width : widths) sum += width + 1;  // a blank before each
    return sum;
}

template <typename Item>
void remove(std::vector<Item>& items, std::size_t at) {
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
}

// The field that goes first; none if all that are left stay.
std::size_t least_wanted(const std::vector<Field>& fields) {
    std::size_t least = fields.size();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].keep == 0) continue;
        if (least == fields.size() || fields[i].keep < fields[least].keep) least = i;
    }
    return least;
}

}  // namespace

std::vector<Line> lay_out(std::vector<Field> fields, std::vector<std::vector<FieldText>> rows,
                          std::size_t columns, bool unicode) {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        auto width = fields[i].is_plot ? plot_least : columns_of(fields[i].title);
        for (const auto& row : rows) width = std::max(width, columns_of(row[i].text));
        widths.push_back(std::min(width, fields[i].most));
    }
    const auto too_wide = [&] { return width_of(widths) > columns; };
    // A long name is cut before anything else goes.
    const auto shrink = [&](std::size_t least) {
        while (too_wide() && widths[0] > least) --widths[0];
    };
    shrink(2 * first_least);
    while (too_wide()) {
        const auto gone = least_wanted(fields);
        if (gone == fields.size()) break;
        remove(fields, gone);
        remove(widths, gone);
        for (auto& row : rows) remove(row, gone);
    }
    shrink(1);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!fields[i].is_plot || too_wide()) continue;
        widths[i] = std::min(widths[i] + columns - width_of(widths), fields[i].most);
    }

    std::vector<Line> lines;
    Line title;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        title.spans.push_back(
            {" " + fitted(fields[i].title, widths[i], fields[i].align, unicode), Style::title});
    }
    lines.push_back(cut(title, columns, unicode));
    for (const auto& row : rows) {
        Line line;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto text = row[i].past != nullptr
                                  ? small_plot(*row[i].past, widths[i], unicode)
                                  : fitted(row[i].text, widths[i], fields[i].align, unicode);
            line.spans.push_back({" " + text, row[i].style});
        }
        lines.push_back(cut(line, columns, unicode));
    }
    return lines;
}

Line cut(const Line& line, std::size_t columns, bool unicode) {
    Line result;
    result.selected = line.selected;
    std::size_t left = columns;
    for (const auto& span : line.spans) {
        const auto width = columns_of(span.text);
        if (left == 0) break;
        if (width <= left) {
            result.spans.push_back(span);
            left -= width;
            continue;
        }
        result.spans.push_back({fitted(span.text, left, Align::left, unicode), span.style});
        left = 0;
    }
    return result;
}

}  // namespace ratectl
