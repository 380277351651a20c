// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/simulation_options.hpp"
#include "ratectl/reports/simulation_report.hpp"

namespace ratectl {

namespace {

class Simulate : public Command {
  public:
    void declare(Parameters& parameters) override { options_.declare(parameters); }

    Done run(Console& console) override {
        const auto scenario = options_.scenario();
        if (!scenario) return tl::unexpected(scenario.error());
        switch (*scenario) {
            case SimulationOptions::Scenario::table:
                return print(simulation::article_table(), console);
            case SimulationOptions::Scenario::herd:
                return plan(console);
            case SimulationOptions::Scenario::layers:
                break;
        }
        return storm(console);
    }

  private:
    Done plan(Console& console) const {
        const auto request = options_.plan_request();
        if (!request) return tl::unexpected(request.error());
        auto plan = simulation::make_plan(*request);
        if (!plan) return tl::unexpected(SimulationOptions::usage(plan.error().message));
        return print(PlanReport{*request, *std::move(plan)}, console);
    }

    Done storm(Console& console) const {
        const auto storm = options_.storm();
        if (!storm) return tl::unexpected(storm.error());
        StormReport report{*storm, {}};
        for (std::size_t i = 0; i < storm_prices.size(); ++i) {
            report.runs[i] = simulation::run_storm(*storm, storm_prices[i]);
        }
        return print(report, console);
    }

    template <typename Report>
    static Done print(const Report& report, Console& console) {
        if (console.json) {
            console.print_document(render_json(report));
        } else {
            console.print(render_text(report, console));
        }
        return ExitCode::done;
    }

    SimulationOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_simulate() {
    return std::make_unique<Simulate>();
}

}  // namespace ratectl
