// SPDX-License-Identifier: Apache-2.0
//
// What needs a hand, and what to do next.
//
// PROMISE  Pure: facts in, findings out. A fault that cannot be told from a healthy host is a note.
#pragma once

#include <string_view>
#include <vector>

#include "ratectl/doctor/facts.hpp"
#include "ratectl/doctor/finding.hpp"

namespace ratectl {

/// Directory, room, logout, container, clock. `budgets` say how large a segment is and how exact
/// the clock has to be.
std::vector<Finding> diagnose_host(const HostFacts& host, const std::vector<BudgetFacts>& budgets);
/// Budgets that exist twice, and processes on a removed file; of every budget if `only` is empty.
std::vector<Finding> diagnose_places(const HostFacts& host, std::string_view only);
/// Everything within one budget.
std::vector<Finding> diagnose_budget(const BudgetFacts& budget, const HostFacts& host);
Finding diagnose_unreadable(const UnreadableBudget& budget);

// The parts of diagnose_budget(), without the budget's name in them.
void judge_clients(const BudgetFacts& budget, const HostFacts& host,
                   std::vector<Finding>& findings);
void judge_stops(const BudgetFacts& budget, std::vector<Finding>& findings);
void judge_use(const BudgetFacts& budget, std::vector<Finding>& findings);

}  // namespace ratectl
