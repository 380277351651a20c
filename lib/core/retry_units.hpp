// SPDX-License-Identifier: Apache-2.0
//
// The host-wide retry budget: it keeps layers and workers from multiplying each other's retries.
//
// PROMISE  U1  Between two successes all processes together retry at most full / cost times.
//          U2  Never more than full; a state that claims more counts as full.
// STATE    StateHead::retry_units.
// SHARING  Pure functions of the state handed in.
#pragma once

#include <ratecoord/backoff.hpp>

#include "core/state.hpp"

namespace ratecoord::core {

/// Takes `units`, all or none. In shadow mode it takes what is left and never refuses.
bool spend_retry_units(State& state, std::uint32_t units) noexcept;

/// Gives units back. True if it changed anything.
bool return_retry_units(State& state, std::uint32_t units) noexcept;

}  // namespace ratecoord::core
