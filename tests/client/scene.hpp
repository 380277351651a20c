// SPDX-License-Identifier: Apache-2.0
//
// A budget of one test: in a directory of its own, under a clock that the test turns.
//
// PROMISE  Time stands still but for the clock. It starts one second into a minute of UTC.
// NEEDS    Tests that wait for room use the host's clock instead (Budget::open).
#pragma once

#include <string>
#include <vector>

#include "client/opening.hpp"
#include "support/limits.hpp"
#include "support/manual_clock.hpp"
#include "support/scratch_directory.hpp"

namespace ratecoord::testing {

struct Scene {
    ScratchDirectory directory;
    ManualClock clock{1'001 * core::second_ns};

    Result<Budget> try_open(const std::vector<LimitDefinition>& definitions,
                            OpenOptions options = {.full = true}) {
        options.label = options.label.empty() ? "test" : options.label;
        return client::Opening::open("budget", definitions, options, clock);
    }
    Budget open(const std::vector<LimitDefinition>& definitions,
                OpenOptions options = {.full = true}) {
        auto budget = try_open(definitions, options);
        if (!budget) FAIL(budget.error().message);
        return std::move(*budget);
    }

    BootTime now() const { return BootTime(std::chrono::nanoseconds(clock.boot())); }
    void advance(std::chrono::nanoseconds by) { clock.advance(by.count()); }
    void advance_to(BootTime t) { advance(t - now()); }
    std::string file() const { return directory.place().path(); }
    std::string stops_file() const { return directory.path() + "/state/budget.stops"; }
};

}  // namespace ratecoord::testing
