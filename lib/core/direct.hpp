// SPDX-License-Identifier: Apache-2.0
//
// The common case of reserve(): nobody waits, nothing stands in the way, and the request fits now.
//
// PROMISE  Q1  Where it answers, the answer and the state after it are those of the search; where
//              it cannot tell at a glance it changes nothing and says so.
// SHARING  Pure functions of the state handed in.
#pragma once

#include "core/calendar.hpp"

namespace ratecoord::core {

/// Grants `request` at `now` if an empty calendar and its limits allow it at once. False, with
/// nothing changed, where the search must decide. Needs advance_clock() to have been called.
bool grant_direct(State& state, const Rules& rules, const Request& request, Instant now,
                  Answer& answer) noexcept;

}  // namespace ratecoord::core
