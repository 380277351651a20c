// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/top_report.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>

#include <fmt/format.h>

#include "ratectl/budget_access.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

using ratecoord::BudgetState;
using ratecoord::PauseKind;
using ratecoord::Snapshot;

constexpr std::array<std::pair<std::string_view, TopSort>, 7> sorts{{{"permits", TopSort::permits},
                                                                     {"units", TopSort::units},
                                                                     {"waiting", TopSort::waiting},
                                                                     {"refused", TopSort::refused},
                                                                     {"age", TopSort::age},
                                                                     {"label", TopSort::label},
                                                                     {"pid", TopSort::pid}}};

std::optional<std::int64_t> stop_left(const Snapshot& snapshot) {
    std::int64_t until = 0;
    switch (snapshot.state) {
        case BudgetState::banned:
            until = pause_end(snapshot, PauseKind::ban);
            break;
        case BudgetState::paused:
            until = std::max(pause_end(snapshot, PauseKind::cooldown),
                             pause_end(snapshot, PauseKind::manual));
            break;
        case BudgetState::cold:
            until = snapshot.cold_until;
            for (const auto& limit : snapshot.limits) {
                for (const auto& cell : limit.cells) until = std::max(until, cell.opens_at);
            }
            break;
        default:
            return std::nullopt;
    }
    if (until <= snapshot.now) return std::nullopt;
    return until - snapshot.now;
}

void add_rows(TopBudget& budget, const Snapshot& snapshot, const TopHistory& history) {
    const auto listing = listed(snapshot);
    std::size_t next = 0;
    for (std::size_t i = 0; i < snapshot.limits.size(); ++i) {
        const auto& limit = snapshot.limits[i];
        budget.limits.push_back(limit.definition.name);
        // A limit per key whose first key is still to come has a row without a cell.
        const auto rows = std::max<std::size_t>(limit.cells.size(), 1);
        for (std::size_t c = 0; c < rows; ++c) {
            TopRow row;
            row.now = listing.rows[next++];
            row.units = history.units_rate(budget.name, i);
            if (c < limit.cells.size()) {
                const auto& cell = limit.cells[c];
                for (const auto& lane : cell.lanes) {
                    // A pause makes a bucket start empty by owing it more than it holds.
                    row.used += std::min(lane.used, lane.most);
                    row.most += lane.most;
                }
                row.fullness = fullness_of(cell);
                row.outside = cell.outside;
                row.past = history.fullness(budget.name, limit.definition.name, cell.key);
            }
            budget.rows.push_back(std::move(row));
        }
    }
}

TopClient client_of(const std::string& budget, const Snapshot& snapshot,
                    const ratecoord::ClientSnapshot& from, const TopHistory& history) {
    TopClient client;
    client.label = from.label;
    client.pid = from.pid;
    client.alive = from.alive;
    client.permits = history.permits_rate(budget, from);
    for (std::size_t i = 0; i < snapshot.limits.size(); ++i) {
        client.units.push_back(history.units_rate(budget, from, i));
    }
    client.waiting = from.waiting;
    client.refused = from.refused;
    client.age_ns = snapshot.now - from.attached_at;
    return client;
}

std::uint64_t all_units(const TopClient& client) {
    std::uint64_t sum = 0;
    for (const auto& units : client.units) sum += units.value_or(0);
    return sum;
}

bool goes_before(const TopClient& a, const TopClient& b, TopSort sort) {
    switch (sort) {
        case TopSort::permits:
            return a.permits > b.permits;  // none is less than any
        case TopSort::units:
            return all_units(a) > all_units(b);
        case TopSort::waiting:
            return a.waiting > b.waiting;
        case TopSort::refused:
            return a.refused > b.refused;
        case TopSort::age:
            return a.age_ns > b.age_ns;
        case TopSort::label:
            return a.label < b.label;
        case TopSort::pid:
            return a.pid < b.pid;
    }
    return false;
}

bool contains(std::string_view text, std::string_view part) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// Keeps what `matches`, or everything if nothing does; whether anything did.
template <typename Item, typename Matches>
bool keep_if_any(std::vector<Item>& items, Matches matches) {
    if (std::none_of(items.begin(), items.end(), matches)) return false;
    std::erase_if(items, [&](const Item& item) { return !matches(item); });
    return true;
}

bool keep_matching(TopBudget& budget, std::string_view text) {
    const auto state = budget.problem.empty() ? ratecoord::name_of(budget.state) : "unreadable";
    if (contains(budget.name, text) || contains(state, text)) return true;
    const bool rows = keep_if_any(budget.rows, [&](const TopRow& row) {
        return contains(row.now.limit, text) || contains(row.now.key, text) ||
               contains(ratecoord::name_of(row.now.state), text);
    });
    const bool clients = keep_if_any(budget.clients, [&](const TopClient& client) {
        return contains(client.label, text) || contains(std::to_string(client.pid), text);
    });
    return rows || clients;
}

}  // namespace

TopReport make_top_report(const TopSample& sample, const TopHistory& history) {
    TopReport report;
    report.clock = WallClock(sample.at, sample.utc_offset);
    for (const auto& watched : sample.budgets) {
        TopBudget budget;
        budget.name = watched.name;
        budget.problem = watched.problem;
        if (watched.problem.empty()) {
            const auto& snapshot = watched.snapshot;
            budget.state = snapshot.state;
            budget.stop_left_ns = stop_left(snapshot);
            budget.retry_units = snapshot.retry_units;
            add_rows(budget, snapshot, history);
            for (const auto& client : snapshot.clients) {
                budget.clients.push_back(client_of(watched.name, snapshot, client, history));
            }
            budget.journal = watched.journal;
        }
        report.budgets.push_back(std::move(budget));
    }
    const auto rank = [](const TopBudget& budget) {
        return std::tuple(budget.problem.empty(), budget.state, std::string_view(budget.name));
    };
    std::sort(report.budgets.begin(), report.budgets.end(),
              [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return report;
}

std::string_view name_of(TopSort sort) {
    for (const auto& [name, each] : sorts) {
        if (each == sort) return name;
    }
    return "";
}

std::optional<TopSort> parse_top_sort(std::string_view name) {
    for (const auto& [each, sort] : sorts) {
        if (each == name) return sort;
    }
    return std::nullopt;
}

void sort_clients(TopReport& report, TopSort sort, bool reverse) {
    const auto before = [&](const TopClient& a, const TopClient& b) {
        if (goes_before(a, b, sort)) return !reverse;
        if (goes_before(b, a, sort)) return reverse;
        return std::tie(a.label, a.pid) < std::tie(b.label, b.pid);
    };
    for (auto& budget : report.budgets) {
        std::stable_sort(budget.clients.begin(), budget.clients.end(), before);
    }
}

void keep_matching(TopReport& report, std::string_view text) {
    if (text.empty()) return;
    std::erase_if(report.budgets, [&](TopBudget& budget) { return !keep_matching(budget, text); });
}

std::string state_text(const TopBudget& budget, BudgetState state) {
    std::string text = ratecoord::name_of(state);
    if (state == budget.state && budget.stop_left_ns) {
        text += " " + format_left(*budget.stop_left_ns);
    }
    return text;
}

std::string rate_text(const Rate& rate) {
    if (!rate) return "-";
    return fmt::format("{}.{}", *rate / 1000, *rate % 1000 / 100);
}

}  // namespace ratectl
