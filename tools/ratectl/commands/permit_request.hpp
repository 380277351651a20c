// SPDX-License-Identifier: Apache-2.0
//
// What acquire and exec have in common: the request on the command line, and its permit.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "ratectl/budget_access.hpp"
#include "ratectl/command.hpp"

namespace ratectl {

/// A permit, and the client that holds it.
struct Granted {
    ratecoord::Budget budget;
    ratecoord::Decision decision;
    std::chrono::nanoseconds waited;
};

class PermitRequest {
  public:
    void declare(Parameters& parameters);
    /// Attaches as `label`, waits, and returns the permit or the refusal (exit 7).
    Outcome<Granted> acquire(const std::string& what, const std::string& label) const;
    const std::string& budget_name() const { return name_; }

  private:
    struct Wanted {
        std::vector<std::string> costs;  // as COST is written
        ratecoord::Lane lane;            // where --lane does not say it, and so on
        ratecoord::Intent intent;
    };
    Outcome<Wanted> wanted(const std::string& what) const;
    /// What the operation costs by its profile.
    Outcome<Wanted> priced(const std::string& what) const;
    Outcome<ratecoord::Lane> read_lane(const std::string& what, ratecoord::Lane otherwise) const;
    Outcome<ratecoord::Intent> read_intent(const std::string& what,
                                           ratecoord::Intent otherwise) const;

    std::string name_;
    std::vector<std::string> costs_;
    std::string operation_;
    std::vector<std::string> arguments_;
    std::string profile_;
    std::vector<std::string> keys_;
    std::string timeout_ = "60s";
    std::string lane_;
    std::string intent_;
};

}  // namespace ratectl
