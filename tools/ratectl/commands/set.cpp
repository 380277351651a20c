// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/commands/change_arguments.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/limit_arguments.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::LimitChange;

std::string_view name_of(LimitChange::Kind kind) {
    switch (kind) {
        case LimitChange::Kind::same:
            return "same";
        case LimitChange::Kind::added:
            return "added";
        case LimitChange::Kind::stricter:
            return "stricter";
        case LimitChange::Kind::beside:
            return "beside";
    }
    return "unknown";
}

std::string describe(const LimitChange& change, const WallClock& clock) {
    switch (change.kind) {
        case LimitChange::Kind::same:
            return "is so already: " + change.after;
        case LimitChange::Kind::added:
            return "added: " + change.after;
        case LimitChange::Kind::stricter:
            return fmt::format("was {}; now {}, at once", change.before, change.after);
        case LimitChange::Kind::beside: {
            const auto settled = nanoseconds_of(change.settled_at);
            return fmt::format("was {}; now {}; both count until {}, {} left", change.before,
                               change.after, clock.text(settled),
                               format_left(clock.left_ns(settled)));
        }
    }
    return change.after;
}

std::string render_text(const std::vector<LimitChange>& changes, bool dry_run) {
    const auto clock = WallClock::read();
    std::string text;
    for (const auto& change : changes) {
        text += printable(change.name) + ": " + printable(describe(change, clock)) +
                (dry_run ? " (dry run, nothing was changed)\n" : "\n");
    }
    return text;
}

Json render_json(const std::string& name, const std::vector<LimitChange>& changes, bool dry_run) {
    const auto clock = WallClock::read();
    Json document = new_document();
    document["action"] = "set";
    document["dry_run"] = dry_run;
    document["budget"] = name;
    document["limits"] = Json::array();
    for (const auto& change : changes) {
        Json value;
        value["limit"] = change.name;
        value["change"] = name_of(change.kind);
        value["before"] = text_value(change.before);
        value["after"] = change.after;
        value["settled_at"] = change.kind == LimitChange::Kind::beside
                                  ? clock.value(nanoseconds_of(change.settled_at))
                                  : Json();
        document["limits"].push_back(std::move(value));
    }
    return document;
}

class Set : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
        declare_limits(parameters, limits_);
        declare_dry_run(parameters, dry_run_);
        parameters.remark("Fields that are left out keep the values they have.");
    }

    Done run(Console& console) override {
        const auto what = "set limits of " + ratecoord::grammar::in_quotes(name_);
        // The command line is read first: a wrong text is a wrong text on any budget.
        if (auto read = read_limits(what, limits_); !read) return tl::unexpected(read.error());
        const auto in_force = look_at(what, name_);
        if (!in_force) return tl::unexpected(in_force.error());
        const auto definitions = read_limits(what, limits_, &*in_force);
        if (!definitions) return tl::unexpected(definitions.error());
        auto budget = attach_budget(what, name_);
        if (!budget) return tl::unexpected(budget.error());
        const auto changes = budget->set(*definitions, dry_run_);
        if (!changes) return tl::unexpected(budget_failure(what, name_, changes.error()));
        if (console.json) {
            console.print_document(render_json(name_, *changes, dry_run_));
        } else {
            console.print(render_text(*changes, dry_run_));
        }
        return ExitCode::done;
    }

  private:
    std::string name_;
    std::vector<std::string> limits_;
    bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_set() {
    return std::make_unique<Set>();
}

}  // namespace ratectl
