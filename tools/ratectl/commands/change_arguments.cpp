// SPDX-License-Identifier: Apache-2.0
#include "ratectl/commands/change_arguments.hpp"

#include <utility>

namespace ratectl {

void declare_dry_run(Parameters& parameters, bool& dry_run) {
    parameters.flag("--dry-run", dry_run, "say what would change, and change nothing");
}

void declare_reason(Parameters& parameters, std::string& reason) {
    parameters.option("--reason", "TEXT", reason, "why, for the journal");
}

std::optional<ratecoord::BudgetState> state_now(std::string_view name) {
    const auto snapshot = ratecoord::read_snapshot(name);
    if (!snapshot) return std::nullopt;
    return snapshot->state;
}

ExitCode print_change(Console& console, std::string action, bool dry_run, Change change) {
    ChangeReport report{.action = std::move(action), .dry_run = dry_run, .changes = {}};
    report.changes.push_back(std::move(change));
    print(console, report);
    return ExitCode::done;
}

}  // namespace ratectl
