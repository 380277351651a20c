// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ratectl/commands/profile_actions.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/table.hpp"

namespace ratectl {

namespace {

using ratecoord::ProfileListing;

std::string render_text(const std::vector<ProfileListing>& profiles, const Console& console) {
    Table table({{"PROFILE"}, {"AS OF"}, {"CONFIDENCE"}, {"TITLE"}});
    for (const auto& profile : profiles) {
        const bool broken = !profile.problem.empty();
        table.add({{printable(profile.name)},
                   {broken ? "-" : profile.as_of},
                   {broken ? "-" : std::string(1, profile.confidence)},
                   {broken ? "cannot be used" : printable(profile.title),
                    broken ? Tint::alarm : Tint::none}});
    }
    const auto summary = format_counted(profiles.size(), "profile") + "\n";
    return table.empty() ? summary : table.text(console) + summary;
}

Json render_json(const std::vector<ProfileListing>& profiles) {
    Json document = new_document();
    document["profiles"] = Json::array();
    for (const auto& profile : profiles) {
        const bool broken = !profile.problem.empty();
        Json value;
        value["profile"] = profile.name;
        value["title"] = broken ? Json() : Json(profile.title);
        value["as_of"] = broken ? Json() : Json(profile.as_of);
        value["confidence"] = broken ? Json() : Json(std::string(1, profile.confidence));
        value["file"] = profile.path;
        value["problem"] = text_value(profile.problem);
        document["profiles"].push_back(std::move(value));
    }
    return document;
}

}  // namespace

Done list_profiles(Console& console) {
    const auto profiles = ratecoord::list_profiles();
    if (!profiles) return tl::unexpected(failure_of("list the profiles", profiles.error()));
    if (console.json) {
        console.print_document(render_json(*profiles));
    } else {
        console.print(render_text(*profiles, console));
    }
    bool broken = false;
    for (const auto& profile : *profiles) {
        if (profile.problem.empty()) continue;
        broken = true;
        if (!console.json) console.narrate("ratectl: " + printable(profile.problem));
    }
    return broken ? ExitCode::failed : ExitCode::done;
}

}  // namespace ratectl
