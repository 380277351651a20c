// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts, written from the command table and from what each command declares. The files
// under packaging/completions are their output; a test compares them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ratectl/help_text.hpp"

namespace ratectl {

struct CompletedCommand {
    std::string name;
    std::string sentence;
    std::vector<Parameter> parameters;
};
/// Every command of the table.
std::vector<CompletedCommand> completed_commands();

/// What may follow an option or stand for a positional, where it is one of a few words; empty where
/// it is free text.
std::string_view choices_of(const Parameter& parameter);
/// Does it name a budget?
bool is_budget(const Parameter& parameter);
/// Does it name a profile?
bool is_profile(const Parameter& parameter);

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// Prints the names of the budgets, for the shells' functions. The first column is NAME/LIMIT.
inline constexpr std::string_view budgets_pipeline =
    "ratectl list --color never 2>/dev/null | sed -n 's|^\\([^ /]*\\)/.*|\\1|p' | sort -u";

/// The same for profiles; broken ones have no date.
inline constexpr std::string_view profiles_pipeline =
    "ratectl profile list --color never 2>/dev/null | "
    "sed -n 's|^\\([a-z0-9-]*\\)  *[0-9-]\\{10\\}  .*|\\1|p'";

}  // namespace ratectl
