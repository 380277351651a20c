// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "ratectl/command.hpp"
#include "ratectl/commands/commands.hpp"

namespace ratectl {

namespace {

constexpr std::array table{
    Entry{"list", make_list, "Lists the limits of every budget, those that need attention first."},
    Entry{"show", make_show, "Shows a budget in full: its limits, stops and who draws on them."},
    Entry{"top", make_top, "Watches budgets on the screen: what is used, by whom, what happens."},
    Entry{"clients", make_clients, "Lists the processes attached to a budget."},
    Entry{"journal", make_journal, "Prints a budget's last events, oldest first."},
    Entry{"create", make_create, "Creates a budget with its limits."},
    Entry{"set", make_set, "Adds or changes limits, for every process, while they run."},
    Entry{"pause", make_pause, "Stops every process, or those of one key, until an instant."},
    Entry{"resume", make_resume, "Ends a pause that a person made, and others if told to."},
    Entry{"reset", make_reset, "Clears pauses and strikes; buckets start empty."},
    Entry{"halt", make_halt, "Sets the kill switch: nothing that opens is sent until unhalt."},
    Entry{"unhalt", make_unhalt, "Clears the kill switch."},
    Entry{"acquire", make_acquire, "Draws a permit, waiting for it if need be."},
    Entry{"exec", make_exec, "Runs a program once its permit has come."},
    Entry{"simulate", make_simulate,
          "Compares private retries with a shared budget, in virtual time."},
    Entry{"profile", make_profile, "Lists, shows, checks or imports what venues enforce."},
    Entry{"explain", make_explain, "Tells what a venue's reply would do, and why."},
    Entry{"doctor", make_doctor, "Looks for what needs a hand and names the next command."},
    Entry{"reload", make_reload, "Has coordinatord read its configuration again."},
    Entry{"destroy", make_destroy, "Retires a budget and removes it."},
    Entry{"completion", make_completion, "Prints the completion script of a shell."},
    Entry{"help", make_help, "Explains a command or a topic."},
};

// Levenshtein's distance, one row at a time.
std::size_t edits(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
        }
    }
    return row.back();
}

}  // namespace

std::span<const Entry> command_table() {
    return table;
}

const Entry* find_command(std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    return found == table.end() ? nullptr : &*found;
}

std::string_view nearest_of(std::string_view name, std::span<const std::string_view> names) {
    constexpr std::size_t name_most = 32;  // nothing longer is near to any of ours
    if (name.size() > name_most || names.empty()) return {};
    const auto nearest = *std::min_element(
        names.begin(), names.end(),
        [&](std::string_view a, std::string_view b) { return edits(name, a) < edits(name, b); });
    return edits(name, nearest) <= std::max<std::size_t>(2, name.size() / 3) ? nearest : "";
}

std::vector<std::string_view> command_names() {
    std::vector<std::string_view> names;
    for (const auto& entry : table) names.push_back(entry.name);
    return names;
}

}  // namespace ratectl
