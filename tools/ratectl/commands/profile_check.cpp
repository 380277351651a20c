// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/commands/profile_actions.hpp"
#include "ratectl/quantity.hpp"
#include "venue/profile.hpp"
#include "venue/profile_search.hpp"

namespace ratectl {

namespace {

using ratecoord::venue::CheckReport;

struct Checked {
    std::string name;
    CheckReport report;
    std::size_t limits = 0;
    std::size_t operations = 0;
    std::size_t signals = 0;
};

Outcome<Checked> check_one(const std::string& name) {
    const auto what = "check the profile " + ratecoord::grammar::in_quotes(name);
    auto report = ratecoord::venue::check(name);
    if (!report) {
        auto failure = failure_of(what, report.error());
        if (report.error().code == ratecoord::ErrorCode::unknown_name) {
            failure.hint = "see 'ratectl profile list'";
        }
        return tl::unexpected(std::move(failure));
    }
    Checked checked{name, *std::move(report)};
    if (checked.report.count > 0) return checked;
    const auto profile = load_profile(what, name);
    if (!profile) return tl::unexpected(profile.error());
    checked.limits = profile->model().limits.size();
    checked.operations = profile->model().operations.size();
    checked.signals = profile->model().signals.size();
    return checked;
}

// One screen at most, however broken the file is.
std::string render_text(const Checked& checked) {
    const auto& report = checked.report;
    if (report.count == 0) {
        return fmt::format("{}: ok, {}, {}, {}\n", printable(checked.name),
                           format_counted(checked.limits, "limit"),
                           format_counted(checked.operations, "operation"),
                           format_counted(checked.signals, "signal"));
    }
    std::string text;
    for (const auto& finding : report.findings) text += printable(finding.text()) + "\n";
    if (report.count > report.findings.size()) {
        text += fmt::format("... and {} more\n", report.count - report.findings.size());
    }
    return text;
}

Json render_json(const Checked& checked) {
    const bool sound = checked.report.count == 0;
    Json value;
    value["profile"] = checked.name;
    value["file"] = checked.report.file;
    value["limits"] = sound ? Json(checked.limits) : Json();
    value["operations"] = sound ? Json(checked.operations) : Json();
    value["signals"] = sound ? Json(checked.signals) : Json();
    value["findings_total"] = checked.report.count;
    value["findings"] = Json::array();
    for (const auto& finding : checked.report.findings) {
        Json item;
        item["file"] = finding.file;
        item["line"] = finding.line == 0 ? Json() : Json(finding.line);
        item["reason"] = finding.reason;
        value["findings"].push_back(std::move(item));
    }
    return value;
}

Outcome<std::vector<std::string>> names_on_this_host() {
    const auto profiles = ratecoord::list_profiles();
    if (!profiles) return tl::unexpected(failure_of("check the profiles", profiles.error()));
    std::vector<std::string> names;
    for (const auto& profile : *profiles) names.push_back(profile.name);
    return names;
}

}  // namespace

Done check_profiles(const std::vector<std::string>& names, Console& console) {
    auto wanted = names;
    if (wanted.empty()) {
        auto all = names_on_this_host();
        if (!all) return tl::unexpected(all.error());
        wanted = *std::move(all);
    }
    Json document = new_document();
    document["profiles"] = Json::array();
    bool sound = true;
    for (const auto& name : wanted) {
        const auto checked = check_one(name);
        if (!checked) return tl::unexpected(checked.error());
        sound = sound && checked->report.count == 0;
        if (console.json) {
            document["profiles"].push_back(render_json(*checked));
        } else {
            console.print(render_text(*checked));
        }
    }
    if (console.json) console.print_document(document);
    return sound ? ExitCode::done : ExitCode::failed;
}

}  // namespace ratectl
