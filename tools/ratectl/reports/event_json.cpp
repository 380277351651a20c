// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/event_json.hpp"

#include <nlohmann/json.hpp>

namespace ratectl {

void put_event(Json& object, const ratecoord::JournalEntry& entry, const WallClock& clock) {
    object["sequence"] = entry.sequence;
    object["happened_at"] = clock.value(entry.at);
    object["event"] = entry.kind;
    object["by"] = entry.label;
    object["text"] = entry.text;
}

}  // namespace ratectl
