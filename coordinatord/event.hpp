// SPDX-License-Identifier: Apache-2.0
//
// Something that happened to a budget and that a person may want to hear of.
//
// SHARING  Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coordinatord {

struct Event {
    std::string kind;
    std::string budget;
    std::string label;  ///< the client that did or saw it; may be empty
    std::string text;
    std::int64_t at_utc_ns = 0;
};

/// Every kind there is: those of the journal, and those that only a daemon sees.
const std::vector<std::string_view>& event_kinds();

namespace kinds {
inline constexpr std::string_view outside_share = "outside_share";
inline constexpr std::string_view calendar_nearly_full = "calendar_nearly_full";
inline constexpr std::string_view clock_unsynchronised = "clock_unsynchronised";
inline constexpr std::string_view budget_lost = "budget_lost";
inline constexpr std::string_view budget_back = "budget_back";
}  // namespace kinds

}  // namespace coordinatord
