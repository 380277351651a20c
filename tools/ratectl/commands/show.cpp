// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/reports/budget_report.hpp"

namespace ratectl {

namespace {

using ratecoord::grammar::in_quotes;

class Show : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
        parameters.optional_argument("LIMIT", limit_, "only this limit of it");
    }

    Done run(Console& console) override {
        const auto what = "show " + in_quotes(name_);
        const auto snapshot = look_at(what, name_);
        if (!snapshot) return tl::unexpected(snapshot.error());
        const auto& limits = snapshot->limits;
        const bool known = std::any_of(limits.begin(), limits.end(), [&](const auto& limit) {
            return limit.definition.name == limit_;
        });
        if (!limit_.empty() && !known) {
            return tl::unexpected(budget_failure(what, name_,
                                                 {ratecoord::ErrorCode::unknown_name, 0,
                                                  "there is no limit " + in_quotes(limit_), ""}));
        }
        if (console.json) {
            console.print_document(render_json(*snapshot, limit_));
        } else {
            console.print(render_text(*snapshot, limit_, console));
        }
        return ExitCode::done;
    }

  private:
    std::string name_;
    std::string limit_;
};

}  // namespace

std::unique_ptr<Command> make_show() {
    return std::make_unique<Show>();
}

}  // namespace ratectl
