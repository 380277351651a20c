// SPDX-License-Identifier: Apache-2.0
//
// Every limit of every budget of this host, one row each, those that need attention first.
//
// UNITS    Durations in nanoseconds, rates in thousandths of a unit a second.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ratecoord/budget.hpp>

#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

struct ListRow {
    std::string limit;
    std::string per;  ///< what splits it; empty: nothing
    std::string key;  ///< empty: not keyed, or no key was used yet
    ratecoord::BudgetState state = ratecoord::BudgetState::idle;
    std::optional<std::uint64_t> available;  ///< unknown: no key was used yet, or a stop
    std::uint64_t most = 0;                  ///< 0: unknown, no key was used yet
    std::uint64_t rate_milli = 0;
    std::optional<std::int64_t> next_in_ns;
    std::uint64_t waiting = 0;
};

struct ListedBudget {
    std::string name;
    std::string path;
    ratecoord::BudgetState state = ratecoord::BudgetState::idle;
    std::uint64_t clients = 0;
    std::string problem;  ///< not empty: it cannot be read, and the rest is unknown
    std::vector<ListRow> rows;
};

struct ListReport {
    std::string taken_at;  ///< RFC 3339
    std::vector<ListedBudget> budgets;
};

ListedBudget listed(const ratecoord::Snapshot& snapshot);
/// Unreadable budgets first, then by state, then by name.
void put_attention_first(ListReport& report);

std::string render_text(const ListReport& report, const Console& console);
Json render_json(const ListReport& report);

/// "2 budgets, 7 clients, 1 banned": what a host's budgets are in all.
class HostCounts {
  public:
    void add(const std::string& problem, ratecoord::BudgetState state, std::uint64_t clients);
    std::string text() const;

  private:
    std::uint64_t budgets_ = 0;
    std::uint64_t clients_ = 0;
    std::uint64_t unreadable_ = 0;
    std::map<ratecoord::BudgetState, std::uint64_t> states_;
};

/// How long until one more unit may go, pauses of budget and key included; none: it never may.
std::optional<std::int64_t> next_in_ns(const ratecoord::Snapshot& snapshot,
                                       const ratecoord::CellSnapshot& cell,
                                       const ratecoord::LaneSnapshot& lane);
Tint tint_of(ratecoord::BudgetState state);

}  // namespace ratectl
