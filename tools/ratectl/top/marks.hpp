// SPDX-License-Identifier: Apache-2.0
//
// Text in columns of a terminal, and pictures made of characters: bars and plots.
//
// PROMISE  What fitted(), bar() and the plots return takes exactly the columns asked for. Bytes
//          that could steer the terminal are shown as '?', so is what it cannot show.
// SHARING  Pure; widths are those of the locale in force (LC_CTYPE).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ratectl/table.hpp"
#include "ratectl/top/history.hpp"

namespace ratectl {

/// `text` as a terminal can show it.
std::string shown(std::string_view text, bool unicode);
/// Columns that a shown text takes.
std::size_t columns_of(std::string_view shown);
/// Filled up with blanks, or cut, its last column then a mark for that.
std::string fitted(std::string_view shown, std::size_t columns, Align align, bool unicode);

/// Something in use is at least one mark.
std::string bar(std::uint16_t fullness, std::size_t columns, bool unicode);
/// The last `columns` slices in one line, the latest at the right.
std::string small_plot(const Fullness& past, std::size_t columns, bool unicode);
/// The same, `lines` high, the topmost first.
std::vector<std::string> tall_plot(const Fullness& past, std::size_t columns, std::size_t lines,
                                   bool unicode);

}  // namespace ratectl
