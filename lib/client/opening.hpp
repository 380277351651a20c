// SPDX-License-Identifier: Apache-2.0
//
// Opening a budget under another clock: for tests that turn time by hand and for simulations.
//
// PROMISE  As Budget::open; every instant the budget sees or answers is of `clock`. What sleeps (a
//          wait for room) still sleeps on the host's own clock.
// NEEDS    `clock` outlives the budget.
#pragma once

#include <ratecoord/budget.hpp>

#include "segment/clock.hpp"

namespace ratecoord::client {

struct Opening {
    static Result<Budget> open(std::string_view name, std::span<const LimitDefinition> definitions,
                               const OpenOptions& options, const segment::Clock& clock);
    static Result<Budget> open(std::string_view name, const Profile& profile,
                               const OpenOptions& options, const segment::Clock& clock);
};

}  // namespace ratecoord::client
