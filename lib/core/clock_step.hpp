// SPDX-License-Identifier: Apache-2.0
//
// What a step of the wall clock does to the windows that follow UTC.
//
// PROMISE  H3  Never a free window: what ran before the step counts in the window that runs after
//              it. Steps that are let be (slack/2) are added up.
// SHARING  Pure functions of the state handed in.
#pragma once

#include "core/calendar.hpp"

namespace ratecoord::core {

/// H3. True if the offset changed (by more than 5 ms) and the state must be published.
bool renew_offset(State& state, const Rules& rules, std::int64_t utc_offset, Instant now) noexcept;

}  // namespace ratecoord::core
