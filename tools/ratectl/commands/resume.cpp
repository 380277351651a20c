// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "grammar/number.hpp"
#include "ratectl/commands/change_arguments.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::PauseKind;
using ratecoord::Snapshot;

class Resume : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
        parameters.flag("--cooldown", scope_.cooldown,
                        "end a cooldown (429) too; overrules the venue");
        parameters.flag("--ban", scope_.ban, "end a ban (418, 403) too; overrules the venue");
        declare_dry_run(parameters, dry_run_);
    }

    Done run(Console& console) override {
        const auto what = "resume " + ratecoord::grammar::in_quotes(name_);
        const auto before = look_at(what, name_);
        if (!before) return tl::unexpected(before.error());
        bool changed = !standing(*before, true).empty();
        if (!dry_run_) {
            auto budget = attach_budget(what, name_);
            if (!budget) return tl::unexpected(budget.error());
            const auto resumed = budget->resume(scope_);
            if (!resumed) return tl::unexpected(budget_failure(what, name_, resumed.error()));
            changed = *resumed;
        }
        Change change;
        change.budget = name_;
        change.changed = changed;
        change.before = before->state;
        if (!dry_run_) change.after = state_now(name_);
        change.text = describe(*before, changed);
        return print_change(console, "resume", dry_run_, std::move(change));
    }

  private:
    bool ends(PauseKind kind) const {
        return kind == PauseKind::manual || (kind == PauseKind::cooldown && scope_.cooldown) ||
               (kind == PauseKind::ban && scope_.ban);
    }

    // The pauses that stand and are, or are not, ended by this command.
    std::string standing(const Snapshot& before, bool ended) const {
        const WallClock clock(before.now, before.utc_offset);
        std::string text;
        for (const auto kind : {PauseKind::ban, PauseKind::cooldown, PauseKind::manual}) {
            const auto until = pause_end(before, kind);
            if (until == 0 || ends(kind) != ended) continue;
            text += fmt::format("{}{} ({} left)", text.empty() ? "" : ", ", name_of(kind),
                                format_left(clock.left_ns(until)));
        }
        return text;
    }

    std::string describe(const Snapshot& before, bool changed) const {
        auto text = changed ? "resumed from " + standing(before, true)
                            : std::string("no pause stands that this ends");
        const auto rest = standing(before, false);
        if (!rest.empty()) text += "; still paused: " + rest;
        return text;
    }

    std::string name_;
    ratecoord::ResumeScope scope_;
    bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_resume() {
    return std::make_unique<Resume>();
}

}  // namespace ratectl
