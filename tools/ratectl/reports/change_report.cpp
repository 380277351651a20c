// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/change_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

Json state_value(std::optional<ratecoord::BudgetState> state) {
    return state ? Json(ratecoord::name_of(*state)) : Json();
}

}  // namespace

std::string render_text(const ChangeReport& report) {
    std::string text;
    for (const auto& change : report.changes) {
        text += printable(change.budget);
        if (!change.key.empty()) text += " " + printable(change.key);
        const bool would = report.dry_run && change.changed;
        text += (would ? ": would be " : ": ") + printable(change.text);
        const bool moved = change.before && change.after && change.before != change.after;
        if (moved) {
            text += fmt::format("; was {}, is {}", ratecoord::name_of(*change.before),
                                ratecoord::name_of(*change.after));
        }
        text += report.dry_run ? " (dry run)\n" : "\n";
    }
    return text;
}

Json render_json(const ChangeReport& report) {
    const auto clock = WallClock::read();
    Json document = new_document();
    document["action"] = report.action;
    document["dry_run"] = report.dry_run;
    document["changes"] = Json::array();
    for (const auto& change : report.changes) {
        Json value;
        value["budget"] = change.budget;
        value["key"] = text_value(change.key);
        value["changed"] = change.changed;
        value["text"] = change.text;
        value["kind"] = text_value(change.kind);
        value["until_at"] = change.until_ns ? clock.value(*change.until_ns) : Json();
        value["state_before"] = state_value(change.before);
        value["state_after"] = state_value(change.after);
        document["changes"].push_back(std::move(value));
    }
    return document;
}

void print(Console& console, const ChangeReport& report) {
    if (console.json) {
        console.print_document(render_json(report));
    } else {
        console.print(render_text(report));
    }
}

}  // namespace ratectl
