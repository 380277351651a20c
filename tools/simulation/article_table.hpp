// SPDX-License-Identifier: Apache-2.0
//
// The published comparison of backoffs, computed again, with one more row.
//
// PROMISE  P7  The model is the article's: all clients call at once, the venue admits 10 calls in
//              each 1-second window and rejects the rest, base 0.5 s, cap 30 s, means of the runs
//              with seeds 0 to 199. Its 16 figures come out digit for digit.
//          P8  The row of the shared budget is run by the core (V3), not by a formula.
// UNITS    Seconds.
// SHARING  Pure functions.
// SOURCE   "Exponential backoff with jitter in Python", fincodelabs.com, updated 2026-11-06.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include <ratecoord/limit.hpp>

#include "simulation/backoff.hpp"

namespace simulation {

inline constexpr std::array<std::uint32_t, 2> article_clients{100, 1000};
inline constexpr std::uint64_t article_runs = 200;

/// Of all runs: means.
struct ArticleCell {
    double calls = 0;
    double rejected = 0;
    double last_success = 0;
};
using ArticleCells = std::array<ArticleCell, article_clients.size()>;

struct ArticleTable {
    ArticleCells bound;                  ///< perfect pacing
    std::array<ArticleCells, 4> jitter;  ///< by Jitter
    ArticleCells shared;                 ///< slack 5 ms: nothing is under way here
    ArticleCells shared_default_slack;
};

ArticleTable article_table();

/// As a budget would be created for it; 5 ms is the least slack that a definition may have.
ratecoord::LimitDefinition article_limit(std::chrono::nanoseconds slack);

}  // namespace simulation
