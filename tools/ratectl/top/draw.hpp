// SPDX-License-Identifier: Apache-2.0
//
// From the state of the view to the frame that shows it.
#pragma once

#include "ratectl/top/frame.hpp"
#include "ratectl/top/view.hpp"

namespace ratectl {

/// At any size, the smallest included: one line of one column.
Frame draw(const ViewState& state, ScreenSize size);

// Its parts: at most `lines` lines, none wider than `columns`.

std::vector<Line> limit_lines(const ViewState& state, std::size_t lines, std::size_t columns);
std::vector<Line> client_lines(const ViewState& state, std::size_t lines, std::size_t columns);
/// Of the selected budget; or why that cannot be read.
std::vector<Line> journal_lines(const ViewState& state, std::size_t lines, std::size_t columns);
/// The selected budget with its plots.
std::vector<Line> budget_lines(const ViewState& state, std::size_t lines, std::size_t columns);
std::vector<Line> help_lines(std::size_t lines, std::size_t columns, bool unicode);

Style style_of(ratecoord::BudgetState state);

}  // namespace ratectl
