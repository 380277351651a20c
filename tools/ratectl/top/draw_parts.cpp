// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "ratectl/quantity.hpp"
#include "ratectl/top/columns.hpp"
#include "ratectl/top/draw.hpp"
#include "ratectl/top/marks.hpp"

namespace ratectl {

namespace {

constexpr std::size_t bar_columns = 8;

std::string percent_text(std::uint16_t fullness) {
    return fmt::format("{}%", (fullness + 5) / 10);
}

Style fullness_style(std::uint16_t fullness) {
    return fullness >= 950 ? Style::warning : Style::good;
}

std::vector<FieldText> limit_row(const TopBudget& budget, const TopRow& row, bool unicode) {
    const bool known = row.most > 0;
    const auto style = fullness_style(row.fullness);
    return {{shown(budget.name + "/" + row.now.limit, unicode)},
            {row.now.key.empty() ? "-" : shown(row.now.key, unicode)},
            {state_text(budget, row.now.state), style_of(row.now.state)},
            {known ? fmt::format("{}/{}", row.used, row.most) : "-"},
            {known ? percent_text(row.fullness) : "-"},
            {known ? bar(row.fullness, bar_columns, unicode) : "-", style},
            {"", style, &row.past},
            {rate_text(row.units)},
            {row.now.next_in_ns ? format_left(*row.now.next_in_ns) : "-"},
            {format_count(row.now.waiting)}};
}

std::vector<FieldText> unreadable_row(const TopBudget& budget, bool unicode) {
    static const Fullness nothing;
    return {{shown(budget.name + "/-", unicode)},
            {"-"},
            {budget.problem.empty() ? std::string(ratecoord::name_of(budget.state)) : "unreadable",
             budget.problem.empty() ? style_of(budget.state) : Style::alarm},
            {"-"},
            {"-"},
            {"-"},
            {"", Style::plain, &nothing},
            {"-"},
            {"-"},
            {"-"}};
}

// The title and a piece of the rows that holds the selected one.
std::vector<Line> scrolled(std::vector<Line> all, std::size_t selected, std::size_t lines) {
    if (lines == 0) return {};
    if (selected + 1 < all.size()) {
        auto& line = all[selected + 1];
        line.selected = true;
        auto& margin = line.spans.front().text.front();
        if (margin == ' ') margin = '>';  // seen without colours too
    }
    const auto room = lines - 1;
    const auto first = room > 0 && selected >= room ? selected - room + 1 : 0;
    std::vector<Line> result{std::move(all.front())};
    for (std::size_t i = first + 1; i < all.size() && result.size() < lines; ++i) {
        result.push_back(std::move(all[i]));
    }
    return result;
}

// The title of the field by which the clients are sorted carries a mark.
std::string sorted_title(const ViewState& state, std::string title, TopSort sort) {
    if (state.options.sort != sort) return title;
    const bool upwards = (sort == TopSort::label || sort == TopSort::pid) != state.reverse;
    if (state.options.unicode) return title + (upwards ? "\u25b2" : "\u25bc");
    return title + (upwards ? "^" : "v");
}

std::vector<FieldText> client_row(const TopClient& client, bool unicode) {
    std::vector<FieldText> row{
        {shown(client.label, unicode), client.alive ? Style::plain : Style::faint},
        {client.alive ? fmt::format("{}", client.pid) : "gone"},
        {rate_text(client.permits)}};
    for (const auto& units : client.units) row.push_back({rate_text(units)});
    row.push_back({format_count(client.waiting)});
    row.push_back({format_count(client.refused)});
    row.push_back({format_age(client.age_ns)});
    return row;
}

}  // namespace

std::vector<Line> limit_lines(const ViewState& state, std::size_t lines, std::size_t columns) {
    const bool unicode = state.options.unicode;
    bool has_keys = false;
    std::vector<std::vector<FieldText>> rows;
    for (const auto& budget : state.report.budgets) {
        for (const auto& row : budget.rows) {
            has_keys = has_keys || !row.now.key.empty();
            rows.push_back(limit_row(budget, row, unicode));
        }
        if (budget.rows.empty()) rows.push_back(unreadable_row(budget, unicode));
    }
    if (rows.empty() && lines > 0) {
        const bool filtered = !state.options.filter.empty();
        return {cut({{{filtered ? " nothing matches the filter" : " no budgets yet"}}}, columns,
                    unicode)};
    }
    std::vector<Field> fields{{"LIMIT", Align::left, 0, 40, false},
                              {"KEY", Align::left, 4, 16, false},
                              {"STATE", Align::left, 10, 18, false},
                              {"USED", Align::right, 8, 21, false},
                              {"IN USE", Align::right, 9, 6, false},
                              {"", Align::left, 5, bar_columns, false},
                              {"HISTORY", Align::left, 3, TopHistory::slices_most, true},
                              {"UNITS/S", Align::right, 2, 10, false},
                              {"NEXT", Align::right, 7, 8, false},
                              {"WAITING", Align::right, 6, 7, false}};
    if (!has_keys) {
        fields.erase(fields.begin() + 1);
        for (auto& row : rows) row.erase(row.begin() + 1);
    }
    return scrolled(lay_out(std::move(fields), std::move(rows), columns, unicode),
                    selected_index(state), lines);
}

std::vector<Line> client_lines(const ViewState& state, std::size_t lines, std::size_t columns) {
    const auto* budget = selected_budget(state);
    if (lines == 0 || budget == nullptr || !budget->problem.empty()) return {};
    const bool unicode = state.options.unicode;
    const auto title = [&](std::string text, TopSort sort) {
        return sorted_title(state, std::move(text), sort);
    };
    std::vector<Field> fields{{title("CLIENT", TopSort::label), Align::left, 0, 30, false},
                              {title("PID", TopSort::pid), Align::right, 30, 10, false},
                              {title("PERMITS/S", TopSort::permits), Align::right, 40, 10, false}};
    for (std::size_t i = 0; i < budget->limits.size(); ++i) {
        const auto name = shown(budget->limits[i] + "/s", unicode);
        fields.push_back({title(name, TopSort::units), Align::right,
                          20 - std::min<std::size_t>(i, 15), 14, false});
    }
    fields.push_back({title("WAITING", TopSort::waiting), Align::right, 25, 8, false});
    fields.push_back({title("REFUSED", TopSort::refused), Align::right, 24, 10, false});
    fields.push_back({title("AGE", TopSort::age), Align::right, 23, 8, false});
    std::vector<std::vector<FieldText>> rows;
    for (const auto& client : budget->clients) {
        if (rows.size() + 1 >= lines) break;
        rows.push_back(client_row(client, unicode));
    }
    auto result = lay_out(std::move(fields), std::move(rows), columns, unicode);
    if (budget->clients.empty() && lines > 1) {
        result.push_back(cut({{{" no client is attached", Style::faint}}}, columns, unicode));
    }
    return result;
}

std::vector<Line> journal_lines(const ViewState& state, std::size_t lines, std::size_t columns) {
    const auto* budget = selected_budget(state);
    if (lines == 0 || budget == nullptr) return {};
    const bool unicode = state.options.unicode;
    const auto name = shown(budget->name, unicode);
    if (!budget->problem.empty()) {
        return {
            cut({{{fmt::format(" {}: {}", name, shown(budget->problem, unicode)), Style::alarm}}},
                columns, unicode)};
    }
    std::vector<Line> result{
        cut({{{fmt::format(" JOURNAL of {}", name), Style::title}}}, columns, unicode)};
    const auto& journal = budget->journal;
    const auto count = std::min(lines - 1, journal.size());
    for (std::size_t i = journal.size() - count; i < journal.size(); ++i) {
        const auto& entry = journal[i];
        const auto text = fmt::format(" {}  {:<11}  {}{}{}", state.report.clock.text(entry.at),
                                      shown(entry.kind, unicode), shown(entry.label, unicode),
                                      entry.text.empty() ? "" : ": ", shown(entry.text, unicode));
        const bool bad = entry.kind == "ban" || entry.kind == "halted";
        result.push_back(cut({{{text, bad ? Style::alarm : Style::plain}}}, columns, unicode));
    }
    return result;
}

}  // namespace ratectl
