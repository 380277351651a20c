// SPDX-License-Identifier: Apache-2.0
//
// What `top` shows of a moment: budgets, what they have granted lately, and to whom.
//
// UNITS    Durations in nanoseconds, rates in thousandths a second, fullness in thousandths. A rate
//          is unknown until two samples tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/budget.hpp>

#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"
#include "ratectl/reports/list_report.hpp"
#include "ratectl/top/history.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

using Rate = std::optional<std::uint64_t>;

/// A limit, or a limit for one key.
struct TopRow {
    ListRow now;
    std::uint64_t used = 0;      ///< all lanes: in the window that runs, or not yet regained
    std::uint64_t most = 0;      ///< all lanes
    std::uint16_t fullness = 0;  ///< used of most
    Rate units;                  ///< granted, of the limit: all its keys together
    std::uint64_t outside = 0;
    Fullness past;  ///< oldest first
};

struct TopClient {
    std::string label;
    std::int32_t pid = 0;
    bool alive = true;
    Rate permits;
    std::vector<Rate> units;  ///< by limit of its budget
    std::uint64_t waiting = 0;
    std::uint64_t refused = 0;
    std::int64_t age_ns = 0;
};

struct TopBudget {
    std::string name;
    std::string problem;  ///< not empty: it cannot be read, and the rest is unknown
    ratecoord::BudgetState state = ratecoord::BudgetState::idle;
    std::optional<std::int64_t> stop_left_ns;  ///< of a ban, a pause or a cold start
    std::uint32_t retry_units = 0;             ///< left of the host-wide retry budget
    std::vector<std::string> limits;
    std::vector<TopRow> rows;
    std::vector<TopClient> clients;
    std::vector<ratecoord::JournalEntry> journal;  ///< the latest last
};

struct TopReport {
    WallClock clock{0, 0};
    std::vector<TopBudget> budgets;  ///< those that need attention first
};

TopReport make_top_report(const TopSample& sample, const TopHistory& history);

enum class TopSort { permits, units, waiting, refused, age, label, pid };
inline constexpr std::string_view top_sorts = "permits units waiting refused age label pid";
std::string_view name_of(TopSort sort);
std::optional<TopSort> parse_top_sort(std::string_view name);

/// Numbers from the largest down, unknown ones last, labels and pids upwards; `reverse` turns it
/// round. `units` are those of all limits together.
void sort_clients(TopReport& report, TopSort sort, bool reverse);

/// Keeps what contains `text`, upper and lower case alike: budgets by name or state with all that
/// they have; else their limits by name, key or state, and their clients by label or pid.
void keep_matching(TopReport& report, std::string_view text);

/// "banned 1h30m": the state of a row, with the time that a stop has left.
std::string state_text(const TopBudget& budget, ratecoord::BudgetState state);
std::string rate_text(const Rate& rate);

/// One frame as lines of text: what --once prints.
std::string render_text(const TopReport& report, const Console& console, bool unicode);
Json render_json(const TopReport& report);

}  // namespace ratectl
