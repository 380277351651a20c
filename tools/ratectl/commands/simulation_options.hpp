// SPDX-License-Identifier: Apache-2.0
//
// The options of `ratectl simulate`, and what they ask for.
//
// PROMISE  An option that the chosen scenario does not use is refused, never ignored.
// ERRORS   A usage Failure that names the option and quotes its text.
#pragma once

#include <span>
#include <string>

#include "ratectl/command.hpp"
#include "simulation/layers.hpp"
#include "simulation/plan.hpp"

namespace ratectl {

class SimulationOptions {
  public:
    enum class Scenario { table, herd, layers };

    void declare(Parameters& parameters);

    Outcome<Scenario> scenario() const;
    Outcome<simulation::PlanRequest> plan_request() const;
    Outcome<simulation::Storm> storm() const;

    static Failure usage(std::string cause);

  private:
    struct Given {
        const char* name;
        const std::string& text;
    };

    Outcome<void> refuse(const char* scenario, std::span<const Given> unused) const;
    Outcome<void> read_durations(double& service_time, simulation::BackoffRule& backoff) const;

    bool table_ = false;
    std::string scenario_;
    std::string workers_;
    std::string limit_;
    std::string service_time_;
    std::string calls_;
    std::string cost_;
    std::string backoff_;
    std::string base_;
    std::string cap_;
    std::string seed_;
    std::string runs_;
    std::string layers_;
    std::string retries_;
};

}  // namespace ratectl
