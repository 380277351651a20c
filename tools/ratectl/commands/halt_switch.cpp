// SPDX-License-Identifier: Apache-2.0
#include "ratectl/commands/halt_switch.hpp"

#include <utility>

#include "grammar/number.hpp"

namespace ratectl {

using ratecoord::grammar::in_quotes;

void HaltSwitch::declare(Parameters& parameters) {
    parameters.optional_argument("NAME", name_, "the budget");
    parameters.flag("--all", all_, "every budget of this host");
    declare_reason(parameters, reason_);
    declare_dry_run(parameters, dry_run_);
}

Done HaltSwitch::run(Console& console) {
    if (all_ == !name_.empty()) {
        return tl::unexpected(usage_failure(action_, "name one budget, or give --all",
                                            "see 'ratectl " + action_ + " --help'"));
    }
    if (all_) return change_all(console);
    auto change = change_one(name_);
    if (!change) return tl::unexpected(change.error());
    return print_change(console, action_, dry_run_, *std::move(change));
}

Outcome<Change> HaltSwitch::change_one(const std::string& name) const {
    const auto what = action_ + " " + in_quotes(name);
    const auto before = look_at(what, name);
    if (!before) return tl::unexpected(before.error());
    Change change;
    change.budget = name;
    change.changed = before->halted != sets_;
    change.before = before->state;
    if (!dry_run_) {
        auto budget = attach_budget(what, name);
        if (!budget) return tl::unexpected(budget.error());
        const auto done = act_(*budget, reason_);
        if (!done) return tl::unexpected(budget_failure(what, name, done.error()));
        change.after = state_now(name);
    }
    if (sets_) {
        change.text = change.changed ? "halted; requests that open are refused until unhalt"
                                     : "was halted already";
    } else {
        change.text = change.changed ? "no longer halted" : "was not halted";
    }
    return change;
}

// A budget that cannot be halted does not keep the others from it.
Done HaltSwitch::change_all(Console& console) const {
    const auto found = ratecoord::list_budgets();
    if (!found) return tl::unexpected(budget_failure(action_ + " all", "", found.error()));
    ChangeReport report{.action = action_, .dry_run = dry_run_, .changes = {}};
    std::size_t failed = 0;
    for (const auto& listing : *found) {
        auto change = change_one(listing.name);
        if (change) {
            report.changes.push_back(*std::move(change));
            continue;
        }
        ++failed;
        const auto& failure = change.error();
        console.narrate("ratectl: cannot " + failure.what + ": " + failure.cause);
        if (!failure.hint.empty()) console.narrate("hint: " + failure.hint);
        Change unknown;
        unknown.budget = listing.name;
        unknown.changed = false;
        unknown.text = "failed: " + failure.cause;
        report.changes.push_back(std::move(unknown));
    }
    print(console, report);
    if (found->empty()) console.narrate("there is no budget on this host");
    return failed == 0 ? ExitCode::done : ExitCode::failed;
}

}  // namespace ratectl
