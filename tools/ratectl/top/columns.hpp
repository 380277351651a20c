// SPDX-License-Identifier: Apache-2.0
//
// A table that fits its screen: columns that matter less go first where there is no room.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ratectl/table.hpp"
#include "ratectl/top/frame.hpp"
#include "ratectl/top/history.hpp"

namespace ratectl {

struct Field {
    std::string title;
    Align align = Align::left;
    std::size_t keep = 0;   ///< the lowest goes first; 0 never
    std::size_t most = 40;  ///< columns; what is longer is cut
    bool is_plot = false;   ///< takes what is left over, at least 8
};

struct FieldText {
    std::string text;
    Style style = Style::plain;
    const Fullness* past = nullptr;  ///< of a plot
};

/// The title and a line for each of `rows`, which have a text for each field. None is wider than
/// `columns`; all leave one blank at the left.
std::vector<Line> lay_out(std::vector<Field> fields, std::vector<std::vector<FieldText>> rows,
                          std::size_t columns, bool unicode);

/// `line` cut to `columns`.
Line cut(const Line& line, std::size_t columns, bool unicode);

}  // namespace ratectl
