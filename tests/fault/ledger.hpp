// SPDX-License-Identifier: Apache-2.0
//
// What a storm writes down while its workers are killed: what each was about to do, what it was
// given, and what it knows it finished.
//
// PROMISE  For every worker, over all of its lives: finished <= given by the budget <= intended. So
//          a unit that was gained, a permit that was lost and a wedge all show.
// SHARING  Lives in memory that parent and workers share; each line has one writer at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include <ratecoord/result.hpp>

#include "support/permit_log.hpp"

namespace ratecoord::testing {

struct Ledger {
    static constexpr int workers = 8;
    struct Line {
        alignas(64) std::atomic<std::uint64_t> intended{0};
        std::atomic<std::uint64_t> finished{0};
        std::atomic<std::uint64_t> calls{0};
    };
    std::array<Line, workers> lines;
    std::atomic<int> stop{0};
    std::atomic<int> errors{0};
    std::atomic<int> busy{0};  ///< calls that were told so: nothing was drawn
    std::atomic<int> first_error{0};
    PermitLog permits;

    std::uint64_t sum(std::atomic<std::uint64_t> Line::*what) const {
        std::uint64_t all = 0;
        for (const Line& line : lines) all += (line.*what).load();
        return all;
    }
    /// False where the worker cannot go on.
    bool note(ErrorCode code) {
        if (code == ErrorCode::deadline_exceeded) {
            ++busy;
            return true;
        }
        ++errors;
        int none = 0;
        first_error.compare_exchange_strong(none, static_cast<int>(code));
        return false;
    }
};

}  // namespace ratecoord::testing
