// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/event.hpp"

namespace coordinatord {

const std::vector<std::string_view>& event_kinds() {
    static const std::vector<std::string_view> all = {"created",
                                                      "attached",
                                                      "pause",
                                                      "ban",
                                                      "probe",
                                                      "resumed",
                                                      "reset",
                                                      "halted",
                                                      "unhalted",
                                                      "redefined",
                                                      "recovered",
                                                      "lock_takeover",
                                                      "outside_use",
                                                      "clock_step",
                                                      "slow_replies",
                                                      "retired",
                                                      "note",
                                                      kinds::outside_share,
                                                      kinds::budget_lost,
                                                      kinds::budget_back,
                                                      kinds::calendar_nearly_full,
                                                      kinds::clock_unsynchronised};
    return all;
}

}  // namespace coordinatord
