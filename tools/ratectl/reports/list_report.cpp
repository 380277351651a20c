// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/list_report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ratectl/quantity.hpp"
#include "ratectl/table.hpp"

namespace ratectl {

namespace {

using ratecoord::BudgetState;
using ratecoord::CellSnapshot;
using ratecoord::LaneSnapshot;
using ratecoord::LimitSnapshot;
using ratecoord::Snapshot;

// What stops the whole budget stops each limit; else a limit has a state of its own.
BudgetState state_of(const Snapshot& snapshot, const CellSnapshot& cell, const LaneSnapshot& lane) {
    if (snapshot.state < BudgetState::empty) return snapshot.state;
    if (cell.paused_until > snapshot.now) return BudgetState::paused;
    if (lane.available == 0) return BudgetState::empty;
    const bool in_use = cell.waiting > 0 || lane.available < lane.most;
    return in_use ? BudgetState::busy : BudgetState::idle;
}

ListRow row_of(const Snapshot& snapshot, const LimitSnapshot& limit, const CellSnapshot& cell) {
    static const LaneSnapshot nothing;
    const auto& lane = cell.lanes.empty() ? nothing : cell.lanes.front();
    ListRow row;
    row.limit = limit.definition.name;
    row.per = limit.definition.per;
    row.key = cell.key;
    row.state = state_of(snapshot, cell, lane);
    // Of what is left when a stop ends, only the venue knows how much it will honour.
    const bool stopped = row.state == BudgetState::banned || row.state == BudgetState::paused;
    if (!stopped) row.available = lane.available;
    row.most = lane.most;
    row.rate_milli = limit.sustained_per_second_milli;
    row.next_in_ns = next_in_ns(snapshot, cell, lane);
    row.waiting = cell.waiting;
    return row;
}

// A limit per key whose first key is still to come.
ListRow row_without_keys(const Snapshot& snapshot, const LimitSnapshot& limit) {
    ListRow row;
    row.limit = limit.definition.name;
    row.per = limit.definition.per;
    row.state = snapshot.state < BudgetState::empty ? snapshot.state : BudgetState::idle;
    row.rate_milli = limit.sustained_per_second_milli;
    return row;
}

std::string key_of(const ListRow& row) {
    if (!row.key.empty()) return printable(row.key);
    return row.per.empty() ? "-" : "each " + printable(row.per);
}

std::string summary(const ListReport& report) {
    HostCounts counts;
    for (const auto& budget : report.budgets) {
        counts.add(budget.problem, budget.state, budget.clients);
    }
    return counts.text() + "\n";
}

Json json_of(const ListRow& row) {
    Json value;
    value["limit"] = row.limit;
    value["per"] = text_value(row.per);
    value["key"] = text_value(row.key);
    value["state"] = ratecoord::name_of(row.state);
    value["available"] = row.available ? Json(*row.available) : Json();
    value["most"] = row.most != 0 ? Json(row.most) : Json();
    value["rate_per_second"] = static_cast<double>(row.rate_milli) / 1000;
    value["next_in_seconds"] = row.next_in_ns ? seconds_value(*row.next_in_ns) : Json();
    value["waiting"] = row.waiting;
    return value;
}

}  // namespace

void HostCounts::add(const std::string& problem, BudgetState state, std::uint64_t clients) {
    ++budgets_;
    clients_ += clients;
    if (!problem.empty()) {
        ++unreadable_;
    } else if (state < BudgetState::empty) {
        ++states_[state];
    }
}

std::string HostCounts::text() const {
    auto text = fmt::format("{}, {}", format_counted(budgets_, "budget"),
                            format_counted(clients_, "client"));
    if (unreadable_ > 0) text += fmt::format(", {} unreadable", unreadable_);
    for (const auto& [state, count] : states_) {
        text += fmt::format(", {} {}", count, ratecoord::name_of(state));
    }
    return text;
}

Tint tint_of(BudgetState state) {
    switch (state) {
        case BudgetState::banned:
        case BudgetState::halted:
            return Tint::alarm;
        case BudgetState::paused:
        case BudgetState::probing:
        case BudgetState::cold:
        case BudgetState::empty:
            return Tint::warning;
        case BudgetState::busy:
        case BudgetState::idle:
            return Tint::good;
    }
    return Tint::none;
}

std::optional<std::int64_t> next_in_ns(const Snapshot& snapshot, const CellSnapshot& cell,
                                       const LaneSnapshot& lane) {
    std::int64_t in_ns = std::max<std::int64_t>(lane.next_in_ns, 0);
    for (const auto until : snapshot.pause_until) in_ns = std::max(in_ns, until - snapshot.now);
    in_ns = std::max(in_ns, cell.paused_until - snapshot.now);
    // Beyond any window: the search says "never" with an instant decades ahead.
    constexpr std::int64_t never_ns = std::int64_t{10} * 366 * 86'400 * 1'000'000'000;
    if (in_ns > never_ns) return std::nullopt;
    return in_ns;
}

ListedBudget listed(const Snapshot& snapshot) {
    ListedBudget budget{.name = snapshot.name,
                        .path = snapshot.path,
                        .state = snapshot.state,
                        .clients = 0,
                        .problem = "",
                        .rows = {}};
    budget.clients =
        static_cast<std::uint64_t>(std::count_if(snapshot.clients.begin(), snapshot.clients.end(),
                                                 [](const auto& client) { return client.alive; }));
    for (const auto& limit : snapshot.limits) {
        for (const auto& cell : limit.cells) budget.rows.push_back(row_of(snapshot, limit, cell));
        if (limit.cells.empty()) budget.rows.push_back(row_without_keys(snapshot, limit));
    }
    return budget;
}

void put_attention_first(ListReport& report) {
    const auto rank = [](const ListedBudget& budget) {
        return std::tuple(budget.problem.empty(), budget.state, std::string_view(budget.name));
    };
    std::sort(report.budgets.begin(), report.budgets.end(),
              [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

std::string render_text(const ListReport& report, const Console& console) {
    Table table({{"LIMIT"},
                 {"KEY"},
                 {"STATE"},
                 {"AVAILABLE", Align::right},
                 {"MOST", Align::right},
                 {"RATE", Align::right},
                 {"NEXT", Align::right},
                 {"WAITING", Align::right}});
    for (const auto& budget : report.budgets) {
        if (!budget.problem.empty()) {
            table.add({{printable(budget.name) + "/-"},
                       {"-"},
                       {"unreadable", Tint::alarm},
                       {"-"},
                       {"-"},
                       {"-"},
                       {"-"},
                       {"-"}});
        }
        for (const auto& row : budget.rows) {
            table.add({{printable(budget.name + "/" + row.limit)},
                       {key_of(row)},
                       {ratecoord::name_of(row.state), tint_of(row.state)},
                       {format_count(row.available)},
                       {row.most != 0 ? format_count(row.most) : "-"},
                       {format_rate(row.rate_milli)},
                       {row.next_in_ns ? format_left(*row.next_in_ns) : "-"},
                       {format_count(row.waiting)}});
        }
    }
    return (table.empty() ? "" : table.text(console)) + summary(report);
}

Json render_json(const ListReport& report) {
    Json document = new_document();
    document["taken_at"] = report.taken_at;
    document["budgets"] = Json::array();
    for (const auto& budget : report.budgets) {
        const bool readable = budget.problem.empty();
        Json value;
        value["budget"] = budget.name;
        value["state"] = readable ? Json(ratecoord::name_of(budget.state)) : Json();
        value["clients"] = readable ? Json(budget.clients) : Json();
        value["file"] = budget.path;
        value["problem"] = text_value(budget.problem);
        value["limits"] = Json::array();
        for (const auto& row : budget.rows) value["limits"].push_back(json_of(row));
        document["budgets"].push_back(std::move(value));
    }
    return document;
}

}  // namespace ratectl
