// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "grammar/number.hpp"
#include "ratectl/commands/change_arguments.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

using ratecoord::PauseKind;
using ratecoord::Snapshot;

class Reset : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
        parameters.flag("--ignore-ban", ignore_ban_,
                        "also while a ban stands: you know that the venue has lifted it");
        declare_dry_run(parameters, dry_run_);
    }

    Done run(Console& console) override {
        what_ = "reset " + ratecoord::grammar::in_quotes(name_);
        const auto before = look_at(what_, name_);
        if (!before) return tl::unexpected(before.error());
        if (!ignore_ban_ && pause_end(*before, PauseKind::ban) != 0) {
            return tl::unexpected(banned(*before));
        }
        if (!dry_run_) {
            auto budget = attach_budget(what_, name_);
            if (!budget) return tl::unexpected(budget.error());
            const auto done = budget->reset(ignore_ban_);
            if (!done) return tl::unexpected(failure_of_reset(done.error()));
        }
        Change change;
        change.budget = name_;
        change.before = before->state;
        if (!dry_run_) change.after = state_now(name_);
        change.text = "cleared of pauses and strikes, buckets start empty";
        if (pause_end(*before, PauseKind::ban) != 0 || before->probe_required) {
            change.text += ", one probe goes first";
        }
        if (before->halted) change.text += "; the halt stays, see 'ratectl unhalt'";
        return print_change(console, "reset", dry_run_, std::move(change));
    }

  private:
    Failure banned(const Snapshot& snapshot) const {
        const auto left = pause_end(snapshot, PauseKind::ban) - snapshot.now;
        return {
            .what = what_,
            .cause = fmt::format("the venue banned this host for another {}", format_left(left)),
            .hint = "wait, or add --ignore-ban if you know that the venue has lifted it",
            .code = "ban_stands",
            .exit = ExitCode::refused,
            .retry_after_ns = left};
    }

    // A ban may come between our look and the reset.
    Failure failure_of_reset(const ratecoord::Error& error) const {
        if (error.code == ratecoord::ErrorCode::refused) {
            const auto now = ratecoord::read_snapshot(name_);
            if (now && pause_end(*now, PauseKind::ban) != 0) return banned(*now);
        }
        return budget_failure(what_, name_, error);
    }

    std::string name_;
    std::string what_;
    bool ignore_ban_ = false;
    bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_reset() {
    return std::make_unique<Reset>();
}

}  // namespace ratectl
