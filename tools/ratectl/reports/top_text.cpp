// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "ratectl/quantity.hpp"
#include "ratectl/reports/top_report.hpp"
#include "ratectl/table.hpp"
#include "ratectl/top/marks.hpp"

namespace ratectl {

namespace {

constexpr std::size_t bar_columns = 10;
constexpr std::size_t journal_lines = 5;

std::string limits_text(const TopReport& report, const Console& console, bool unicode) {
    Table table({{"LIMIT"},
                 {"KEY"},
                 {"STATE"},
                 {"USED", Align::right},
                 {"OF", Align::right},
                 {"IN USE"},
                 {"UNITS/S", Align::right},
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
                       {"-"},
                       {"-"}});
        }
        for (const auto& row : budget.rows) {
            const bool known = row.most > 0;
            table.add({{printable(budget.name + "/" + row.now.limit)},
                       {row.now.key.empty() ? "-" : printable(row.now.key)},
                       {state_text(budget, row.now.state), tint_of(row.now.state)},
                       {known ? format_count(row.used) : "-"},
                       {known ? format_count(row.most) : "-"},
                       {known ? bar(row.fullness, bar_columns, unicode) : "-"},
                       {rate_text(row.units)},
                       {row.now.next_in_ns ? format_left(*row.now.next_in_ns) : "-"},
                       {format_count(row.now.waiting)}});
        }
    }
    return table.empty() ? "no budgets\n" : table.text(console);
}

std::string units_text(const TopBudget& budget, const TopClient& client) {
    std::string text;
    for (std::size_t i = 0; i < client.units.size(); ++i) {
        if (client.units[i].value_or(0) == 0) continue;
        text += (text.empty() ? "" : " ") +
                fmt::format("{}={}", printable(budget.limits[i]), rate_text(client.units[i]));
    }
    return text.empty() ? "-" : text;
}

std::string clients_text(const TopReport& report, const Console& console) {
    Table table({{"CLIENT"},
                 {"PID", Align::right},
                 {"BUDGET"},
                 {"PERMITS/S", Align::right},
                 {"WAITING", Align::right},
                 {"REFUSED", Align::right},
                 {"AGE", Align::right},
                 {"UNITS/S"}});
    for (const auto& budget : report.budgets) {
        for (const auto& client : budget.clients) {
            table.add({{printable(client.label), client.alive ? Tint::none : Tint::warning},
                       {fmt::format("{}", client.pid)},
                       {printable(budget.name)},
                       {rate_text(client.permits)},
                       {format_count(client.waiting)},
                       {format_count(client.refused)},
                       {format_age(client.age_ns)},
                       {units_text(budget, client)}});
        }
    }
    return table.empty() ? "" : "\n" + table.text(console);
}

std::string journal_text(const TopReport& report, const Console& console) {
    struct Line {
        const TopBudget* budget;
        const ratecoord::JournalEntry* entry;
    };
    std::vector<Line> lines;
    for (const auto& budget : report.budgets) {
        for (const auto& entry : budget.journal) lines.push_back({&budget, &entry});
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.entry->at < b.entry->at; });
    if (lines.size() > journal_lines) lines.erase(lines.begin(), lines.end() - journal_lines);
    Table table({{"AT"}, {"BUDGET"}, {"EVENT"}, {"BY"}, {"WHAT"}});
    for (const auto& [budget, entry] : lines) {
        table.add({{report.clock.text(entry->at)},
                   {printable(budget->name)},
                   {printable(entry->kind)},
                   {entry->label.empty() ? "-" : printable(entry->label)},
                   {entry->text.empty() ? "-" : printable(entry->text)}});
    }
    return table.empty() ? "" : "\n" + table.text(console);
}

}  // namespace

std::string render_text(const TopReport& report, const Console& console, bool unicode) {
    return limits_text(report, console, unicode) + clients_text(report, console) +
           journal_text(report, console);
}

}  // namespace ratectl
