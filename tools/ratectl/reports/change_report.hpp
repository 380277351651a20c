// SPDX-License-Identifier: Apache-2.0
//
// What a command changed, or would change: pause, resume, reset, halt, unhalt, destroy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ratecoord/snapshot.hpp>

#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

/// One budget.
struct Change {
    std::string budget;
    bool changed = true;  ///< false: it was so already
    std::string text;     ///< "paused until ..."; reads well after "would be" if changed
    std::string kind;     ///< of a pause; empty: the change has none
    std::string key;      ///< "account=main"; empty: the whole budget
    std::optional<std::int64_t> until_ns;  ///< boot time
    std::optional<ratecoord::BudgetState> before;
    std::optional<ratecoord::BudgetState> after;  ///< unknown in a dry run
};

struct ChangeReport {
    std::string action;  ///< the command's name
    bool dry_run = false;
    std::vector<Change> changes;
};

std::string render_text(const ChangeReport& report);
Json render_json(const ChangeReport& report);

/// In the form that was asked for.
void print(Console& console, const ChangeReport& report);

}  // namespace ratectl
