// SPDX-License-Identifier: Apache-2.0
//
// The board in Prometheus' text format.
//
// PROMISE  Bounded: per budget labels_max client labels and `other`, no series per key, no series per
//          process. Counters follow Totals: they never fall while a segment lives.
// UNITS    Seconds and the limits' own units, as Prometheus wants them; the name says which.
// SHARING  One thread, the daemon's loop.
// SOURCE   coordinatord(8); Prometheus' naming conventions (`promtool check metrics`).
#pragma once

#include <string>

#include "coordinatord/board.hpp"
#include "coordinatord/metrics_totals.hpp"

namespace coordinatord {

class Metrics {
  public:
    /// At each tick.
    void note(const Board& board) { totals_.note(board); }
    std::string render(const Board& board);

  private:
    Totals totals_;
};

}  // namespace coordinatord
