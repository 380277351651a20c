// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/doctor/diagnosis.hpp"
#include "ratectl/doctor/gather.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/reports/doctor_report.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::BudgetListing;
using ratecoord::Error;

class Doctor : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.optional_argument("NAME", name_, "only this budget, beside the host");
        parameters.flag(
            "--sweep", sweep_,
            "first take out what dead clients left and save stops that are not on disk");
        parameters.remark("The exit code is 1 if something needs a hand.");
    }

    Done run(Console& console) override {
        auto host = gather_host_facts();
        const auto places = diagnose_places(host, name_);
        if (auto looked = look(console, host); !looked) {
            // A budget that is gone here may still live with its clients, or in a container.
            if (looked.error().exit != ExitCode::no_such_budget || places.empty()) {
                return tl::unexpected(looked.error());
            }
        }
        for (const auto& budget : budgets_) add_client_processes(budget.snapshot, host);
        DoctorReport report;
        const auto clock = WallClock::read();
        report.taken_at = clock.value(clock.now_ns()).get<std::string>();
        report.findings = diagnose_host(host, budgets_);
        const auto add = [&](const std::vector<Finding>& more) {
            report.findings.insert(report.findings.end(), more.begin(), more.end());
        };
        add(places);
        for (const auto& budget : unreadable_) add({diagnose_unreadable(budget)});
        for (const auto& budget : budgets_) add(diagnose_budget(budget, host));
        put_attention_first(report);
        if (console.json) {
            console.print_document(render_json(report));
        } else {
            console.print(render_text(report, console));
        }
        return count_attention(report) == 0 ? ExitCode::done : ExitCode::failed;
    }

  private:
    Outcome<void> look(Console& console, HostFacts& host) {
        const auto found = ratecoord::list_budgets();
        if (!found && name_.empty()) {
            host.listing_problem = found.error().message;
            return {};
        }
        bool seen = false;
        for (const auto& listing : found.value_or(std::vector<BudgetListing>{})) {
            if (!name_.empty() && listing.name != name_) continue;
            look_at_one(console, listing);
            seen = true;
        }
        if (seen || name_.empty()) return {};
        auto snapshot = look_at("look after " + ratecoord::grammar::in_quotes(name_), name_);
        if (!snapshot) return tl::unexpected(snapshot.error());
        budgets_.push_back(gather_budget_facts(*std::move(snapshot)));
        return {};
    }

    void look_at_one(Console& console, const BudgetListing& listing) {
        sweep(console, listing.name);
        auto snapshot = ratecoord::read_snapshot(listing.name);
        if (snapshot && snapshot->path == listing.path) {
            budgets_.push_back(gather_budget_facts(*std::move(snapshot)));
        } else if (!snapshot &&
                   (listing.problem.empty() || listing.problem == snapshot.error().message)) {
            unreadable_.push_back(
                {listing.name, listing.path, snapshot.error(), is_file(listing.path)});
        } else if (!listing.problem.empty()) {  // another user's, which only root sees
            unreadable_.push_back({listing.name, listing.path,
                                   Error{.message = listing.problem, .hint = {}},
                                   is_file(listing.path)});
        }
    }

    static bool is_file(const std::string& path) {
        std::error_code error;
        return std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error));
    }

    // What cannot be swept is found again by the look that follows.
    void sweep(Console& console, const std::string& name) const {
        if (!sweep_) return;
        auto budget = attach_budget("sweep", name);
        if (!budget) return;
        const auto swept = budget->sweep();
        if (swept && *swept > 0) {
            console.narrate(
                fmt::format("{}: {} taken out", name, format_counted(*swept, "dead client")));
        }
    }

    std::string name_;
    bool sweep_ = false;
    std::vector<BudgetFacts> budgets_;
    std::vector<UnreadableBudget> unreadable_;
};

}  // namespace

std::unique_ptr<Command> make_doctor() {
    return std::make_unique<Doctor>();
}

}  // namespace ratectl
