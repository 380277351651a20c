// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "ratectl/budget_access.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/reports/list_report.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

class List : public Command {
  public:
    void declare(Parameters&) override {}

    Done run(Console& console) override {
        const auto found = ratecoord::list_budgets();
        if (!found) return tl::unexpected(budget_failure("list budgets", "", found.error()));
        const auto clock = WallClock::read();
        ListReport report{ratecoord::grammar::format_instant_ms(clock.utc(clock.now_ns())), {}};
        bool complete = true;
        for (const auto& listing : *found) {
            auto budget = look(listing);
            if (!budget.problem.empty()) {
                complete = false;
                console.narrate("ratectl: cannot read '" + listing.name + "': " + budget.problem);
                console.narrate("hint: see 'ratectl doctor'");
            }
            report.budgets.push_back(std::move(budget));
        }
        put_attention_first(report);
        if (console.json) {
            console.print_document(render_json(report));
        } else {
            console.print(render_text(report, console));
        }
        return complete ? ExitCode::done : ExitCode::failed;
    }

  private:
    static ListedBudget look(const ratecoord::BudgetListing& listing) {
        ListedBudget unreadable;
        unreadable.name = listing.name;
        unreadable.path = listing.path;
        unreadable.problem = listing.problem;
        if (!listing.problem.empty()) return unreadable;
        const auto snapshot = ratecoord::read_snapshot(listing.name);
        if (snapshot && snapshot->path == listing.path) return listed(*snapshot);
        // As root the name means root's own; that of another user is read as that user.
        unreadable.problem =
            snapshot ? "it belongs to another user; look as that user" : snapshot.error().message;
        return unreadable;
    }
};

}  // namespace

std::unique_ptr<Command> make_list() {
    return std::make_unique<List>();
}

}  // namespace ratectl
