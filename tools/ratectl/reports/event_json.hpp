// SPDX-License-Identifier: Apache-2.0
//
// An event of a journal, the same wherever it stands in JSON.
#pragma once

#include <ratecoord/snapshot.hpp>

#include "ratectl/json_value.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

/// Adds the event's members to `object`.
void put_event(Json& object, const ratecoord::JournalEntry& entry, const WallClock& clock);

}  // namespace ratectl
