// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/commands/profile_actions.hpp"
#include "ratectl/reports/profile_report.hpp"

namespace ratectl {

Outcome<ratecoord::Profile> load_profile(const std::string& what, const std::string& name) {
    auto profile = ratecoord::Profile::load(name);
    if (profile) return *std::move(profile);
    auto failure = failure_of(what, profile.error());
    if (profile.error().code == ratecoord::ErrorCode::unknown_name) {
        failure.hint = "see 'ratectl profile list'";
    } else if (profile.error().code == ratecoord::ErrorCode::invalid_argument) {
        // The file is wrong, not the command line.
        failure.exit = ExitCode::failed;
        failure.code = "invalid_profile";
        failure.hint = "see 'ratectl profile check " + printable(name) + "'";
    }
    return tl::unexpected(std::move(failure));
}

Done show_profile(const std::string& name, Console& console) {
    const auto profile =
        load_profile("show the profile " + ratecoord::grammar::in_quotes(name), name);
    if (!profile) return tl::unexpected(profile.error());
    if (console.json) {
        console.print_document(render_json(*profile));
    } else {
        console.print(render_text(*profile, console));
    }
    return ExitCode::done;
}

}  // namespace ratectl
