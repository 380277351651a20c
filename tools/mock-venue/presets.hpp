// SPDX-License-Identifier: Apache-2.0
//
// Built-in venues, with the numbers that the venues publish.
#pragma once

#include <optional>
#include <string_view>

#include "mock-venue/venue.hpp"

namespace mock_venue {

// The rules of 'binance-spot' or 'bybit'; nothing for any other name.
std::optional<VenueRules> preset(std::string_view name);

// Every name that preset() knows, for messages.
std::string_view preset_names();

}  // namespace mock_venue
