// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/diagnosis.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

std::string_view name_of(Grade grade) {
    switch (grade) {
        case Grade::fine:
            return "ok";
        case Grade::note:
            return "note";
        case Grade::attention:
            return "look";
    }
    return "unknown";
}

Tint tint_of(Grade grade) {
    return grade == Grade::fine ? Tint::good : grade == Grade::note ? Tint::none : Tint::alarm;
}

std::size_t count_attention(const std::vector<Finding>& findings) {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [](const auto& finding) { return finding.grade == Grade::attention; }));
}

std::string render_text(const std::vector<Finding>& findings, const Console& console) {
    std::string text;
    for (const auto& finding : findings) {
        const auto grade = fmt::format("{:<4}", name_of(finding.grade));
        const auto subject = finding.budget.empty() ? "" : finding.budget + ": ";
        text += fmt::format("{}  {}{}: {}\n", console.tinted(grade, tint_of(finding.grade)),
                            printable(subject), finding.check, printable(finding.text));
        if (!finding.next.empty()) text += fmt::format("      next: {}\n", printable(finding.next));
    }
    const auto count = count_attention(findings);
    const auto looks = format_counted(findings.size(), "finding");
    return text + (count == 0
                       ? fmt::format("{}, nothing needs a hand\n", looks)
                       : fmt::format("{}, {} a hand\n", looks,
                                     count == 1 ? "1 needs" : fmt::format("{} need", count)));
}

Json render_json(const std::vector<Finding>& findings) {
    Json document = new_document();
    document["attention"] = count_attention(findings);
    document["findings"] = Json::array();
    for (const auto& finding : findings) {
        Json value;
        value["check"] = finding.check;
        value["budget"] = text_value(finding.budget);
        value["grade"] = name_of(finding.grade);
        value["text"] = finding.text;
        value["next"] = text_value(finding.next);
        document["findings"].push_back(std::move(value));
    }
    return document;
}

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
        std::vector<ratecoord::BudgetListing> unreadable;
        std::vector<ratecoord::Snapshot> budgets;
        if (auto looked = look(console, budgets, unreadable); !looked) {
            return tl::unexpected(looked.error());
        }
        auto findings = diagnose_host(gather_host_facts(), budgets);
        for (const auto& listing : unreadable) findings.push_back(diagnose_unreadable(listing));
        for (const auto& budget : budgets) {
            const auto more = diagnose_budget(budget);
            findings.insert(findings.end(), more.begin(), more.end());
        }
        if (console.json) {
            console.print_document(render_json(findings));
        } else {
            console.print(render_text(findings, console));
        }
        return count_attention(findings) == 0 ? ExitCode::done : ExitCode::failed;
    }

  private:
    Outcome<void> look(Console& console, std::vector<ratecoord::Snapshot>& budgets,
                       std::vector<ratecoord::BudgetListing>& unreadable) const {
        if (!name_.empty()) {
            sweep(console, name_);
            auto snapshot = look_at("look after " + ratecoord::grammar::in_quotes(name_), name_);
            if (!snapshot) return tl::unexpected(snapshot.error());
            budgets.push_back(*std::move(snapshot));
            return {};
        }
        const auto found = ratecoord::list_budgets();
        if (!found) return {};  // the finding about the directory says why
        for (auto listing : *found) {
            sweep(console, listing.name);
            auto snapshot = ratecoord::read_snapshot(listing.name);
            if (snapshot && snapshot->path == listing.path) {
                budgets.push_back(*std::move(snapshot));
                continue;
            }
            if (listing.problem.empty() && !snapshot) listing.problem = snapshot.error().message;
            if (!listing.problem.empty()) unreadable.push_back(std::move(listing));
        }
        return {};
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
};

}  // namespace

std::unique_ptr<Command> make_doctor() {
    return std::make_unique<Doctor>();
}

}  // namespace ratectl
