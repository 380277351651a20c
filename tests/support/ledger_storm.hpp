// SPDX-License-Identifier: Apache-2.0
//
// Workers that draw without a pause while they are killed and stopped, and the ledger that shows
// whether a commit was lost, doubled or torn.
//
// PROMISE  For every worker, commits finished <= commits in the segment <= commits begun, at the
//          end of all of its lives.
// SHARING  The Book is in memory that parent and workers share.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "support/child_process.hpp"
#include "support/ledger_budget.hpp"

namespace ratecoord::testing {

struct Book {
    struct Line {
        alignas(64) std::atomic<std::uint64_t> begun{0};
        std::atomic<std::uint64_t> finished{0};
        std::atomic<std::uint64_t> longest_ns{0};  ///< of one draw
        std::atomic<std::uint64_t> over_10_ms{0};
    };
    std::array<Line, ledger_lines> lines;
    std::atomic<int> stop{0};
    std::atomic<int> errors{0};
};

/// One life of a worker. A full table is waited out: slots rest for 2 s.
inline int draw_without_pause(const segment::Place& place, std::uint16_t line, Book& book) {
    const auto until = segment::monotonic_now() + 30 * core::second_ns;
    auto segment = segment::Segment::attach(place, {.label = "worker"});
    while (!segment && segment.error().code == ErrorCode::segment_full &&
           segment::monotonic_now() < until) {
        ::sched_yield();
        segment = segment::Segment::attach(place, {.label = "worker"});
    }
    if (!segment) {
        ++book.errors;
        return 2;
    }
    auto& own = book.lines[line];
    while (book.stop.load(std::memory_order_relaxed) == 0) {
        ++own.begun;
        const auto before = segment::monotonic_now();
        const auto result = draw(**segment, line, 20 * core::second_ns);
        const auto took = static_cast<std::uint64_t>(segment::monotonic_now() - before);
        if (!result.published) {
            ++book.errors;
            return 1;
        }
        ++own.finished;
        if (took > own.longest_ns) own.longest_ns = took;
        if (took > 10'000'000) ++own.over_10_ms;
    }
    return 0;
}

/// Lines whose ledger does not hold.
inline int broken_lines(const Ledger& ledger, const Book& book) {
    int broken = 0;
    for (std::size_t line = 0; line < ledger_lines; ++line) {
        const auto drawn = ledger.lines[line];
        if (drawn < book.lines[line].finished || drawn > book.lines[line].begun) ++broken;
    }
    return broken;
}

}  // namespace ratecoord::testing
