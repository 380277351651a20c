// SPDX-License-Identifier: Apache-2.0
//
// The board as JSON, for the page and for whoever reads /api/budgets.
//
// PROMISE  Bounded, whatever the budgets hold: most_cells and most_drawn per limit, most_clients and
//          most_histories per budget, most_points per history; what was left out is counted.
// UNITS    Instants end in _ms: milliseconds of UTC since 1970, null for never. Units of the limit.
// SHARING  Values.
#pragma once

#include <string>

#include "coordinatord/board.hpp"

namespace coordinatord {

inline constexpr std::size_t most_cells = 50;
inline constexpr std::size_t most_drawn = 20;
inline constexpr std::size_t most_clients = 200;
inline constexpr std::size_t most_histories = 24;
inline constexpr std::size_t most_points = 300;

/// Everything, with histories thinned to the highest sample of each group.
std::string render_budgets(const Board& board);
/// The same with the newest sample of each history only; one line.
std::string render_update(const Board& board);

}  // namespace coordinatord
