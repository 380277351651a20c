// SPDX-License-Identifier: Apache-2.0
//
// Taking a budget's pages away, in children whose signals are their own affair.
//
// NEEDS    Nothing here opens a budget in the parent: a child would inherit its handler.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "support/child_process.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"

namespace ratecoord::testing {

inline constexpr int units = 10;
inline const OpenOptions small_and_full{.clients = 16, .reservations = 16, .full = true};

/// Its exit status, or 128 + the signal.
template <class Run>
int in_child(Run&& run) {
    return ChildProcess(std::forward<Run>(run)).wait();
}

inline Budget open_budget() {
    return must(Budget::open("budget", {once("weight", units)}, small_and_full));
}

inline void cut(const std::string& path, std::uint64_t bytes) {
    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(bytes)) == 0);
}

/// Draws until an error comes, at most for the few seconds in which one must; how many permits came.
inline int draw_until_error(Budget& budget, const Cost& cost, Error& error) {
    int granted = 0;
    const auto until = BootClock::now() + 20s;
    while (BootClock::now() < until) {
        const auto decision = budget.try_acquire(cost);
        if (decision && *decision) ++granted;
        if (!decision && decision.error().code != ErrorCode::deadline_exceeded) {
            error = decision.error();
            return granted;
        }
    }
    error = {};
    return granted;
}

}  // namespace ratecoord::testing
