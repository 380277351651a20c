// SPDX-License-Identifier: Apache-2.0
//
// What the commands that change one budget take and do alike.
#pragma once

#include <string>

#include "ratectl/budget_access.hpp"
#include "ratectl/command.hpp"
#include "ratectl/reports/change_report.hpp"

namespace ratectl {

/// --dry-run.
void declare_dry_run(Parameters& parameters, bool& dry_run);
/// --reason TEXT.
void declare_reason(Parameters& parameters, std::string& reason);

/// The state of a budget after a change; unknown if it cannot be read any more.
std::optional<ratecoord::BudgetState> state_now(std::string_view name);

/// Prints the report of one change to one budget.
ExitCode print_change(Console& console, std::string action, bool dry_run, Change change);

}  // namespace ratectl
