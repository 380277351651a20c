// SPDX-License-Identifier: Apache-2.0
//
// What needs a hand, and what to do next. Pure: facts in, findings out.
#pragma once

#include <string>
#include <vector>

#include <ratecoord/budget.hpp>

#include "ratectl/host_facts.hpp"

namespace ratectl {

enum class Grade {
    fine,
    note,       ///< worth knowing; nothing to do
    attention,  ///< needs a hand
};

struct Finding {
    Grade grade = Grade::fine;
    std::string check;   ///< "directory", "clock"
    std::string budget;  ///< empty: the host
    std::string text;
    std::string next;  ///< a command, or what to do; empty where nothing is
};

/// `budgets`: those that were looked at; they say how large a segment is and how exact the clock
/// has to be.
std::vector<Finding> diagnose_host(const HostFacts& facts,
                                   const std::vector<ratecoord::Snapshot>& budgets);
std::vector<Finding> diagnose_budget(const ratecoord::Snapshot& snapshot);
Finding diagnose_unreadable(const ratecoord::BudgetListing& listing);

}  // namespace ratectl
