// SPDX-License-Identifier: Apache-2.0
#include "ratectl/top/draw.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ratectl/quantity.hpp"
#include "ratectl/top/columns.hpp"
#include "ratectl/top/marks.hpp"

namespace ratectl {

namespace {

using ratecoord::BudgetState;

std::string counts_text(const TopReport& report) {
    HostCounts counts;
    for (const auto& budget : report.budgets) {
        counts.add(budget.problem, budget.state, budget.clients.size());
    }
    return counts.text();
}

Line header_line(const ViewState& state, std::size_t columns) {
    const bool unicode = state.options.unicode;
    Line line;
    line.spans.push_back({"ratectl top", Style::title});
    line.spans.push_back({"  " + counts_text(state.report)});
    if (!state.options.filter.empty() && !state.typing) {
        line.spans.push_back(
            {fmt::format("  filter '{}'", shown(state.options.filter, unicode)), Style::warning});
    }
    if (state.paused) line.spans.push_back({"  display paused", Style::warning});
    const auto right = fmt::format("every {}  {}", format_age(state.options.interval_ns),
                                   state.report.clock.text(state.report.clock.now_ns()));
    std::size_t taken = 0;
    for (const auto& span : line.spans) taken += columns_of(span.text);
    if (taken + 2 + right.size() <= columns) {
        line.spans.push_back({std::string(columns - taken - right.size(), ' ') + right});
    }
    return cut(line, columns, unicode);
}

Line footer_line(const ViewState& state, std::size_t columns) {
    const bool unicode = state.options.unicode;
    Line line;
    if (state.typing) {
        line.spans.push_back({"filter: " + shown(state.options.filter, unicode) + "_"});
        line.spans.push_back({"   enter keeps it, escape drops it", Style::faint});
    } else if (state.page == Page::help) {
        line.spans.push_back({"any key goes back", Style::faint});
    } else {
        const auto rows = row_names(state.report).size();
        if (rows > 0) {
            line.spans.push_back({fmt::format("{}/{}  ", selected_index(state) + 1, rows)});
        }
        line.spans.push_back(
            {"q quit  jk select  sr sort  / filter  enter budget  p pause  +- pace  ? help",
             Style::faint});
    }
    return cut(line, columns, unicode);
}

void append(std::vector<Line>& to, std::vector<Line> lines) {
    for (auto& line : lines) to.push_back(std::move(line));
}

// Limits above, clients below, the journal last; what does not fit goes in the other order.
std::vector<Line> overview_lines(const ViewState& state, std::size_t lines, std::size_t columns) {
    const auto rows = row_names(state.report).size();
    const auto* budget = selected_budget(state);
    const auto clients = budget != nullptr ? budget->clients.size() : 0;
    const std::size_t journal = lines >= 16 ? 6 : lines >= 11 ? 3 : 0;
    const auto rest = lines - journal;
    std::vector<Line> result;
    if (rest < 6) return limit_lines(state, rest, columns);
    const auto wanted_below = clients + 1;
    const auto above = rest > wanted_below ? std::max(rest / 2, rest - wanted_below) : rest / 2;
    append(result, limit_lines(state, std::min(above, rows + 1), columns));
    append(result, client_lines(state, rest - result.size(), columns));
    append(result, journal_lines(state, lines - result.size(), columns));
    return result;
}

}  // namespace

Style style_of(BudgetState state) {
    switch (tint_of(state)) {
        case Tint::alarm:
            return Style::alarm;
        case Tint::warning:
            return Style::warning;
        case Tint::good:
            return Style::good;
        case Tint::none:
            break;
    }
    return Style::plain;
}

Frame draw(const ViewState& state, ScreenSize size) {
    Frame frame;
    if (size.lines == 0 || size.columns == 0) return frame;
    frame.lines.push_back(header_line(state, size.columns));
    if (size.lines == 1) return frame;
    const auto between = size.lines - 2;
    switch (state.page) {
        case Page::overview:
            append(frame.lines, overview_lines(state, between, size.columns));
            break;
        case Page::budget:
            append(frame.lines, budget_lines(state, between, size.columns));
            break;
        case Page::help:
            append(frame.lines, help_lines(between, size.columns, state.options.unicode));
            break;
    }
    frame.lines.resize(size.lines - 1);
    frame.lines.push_back(footer_line(state, size.columns));
    return frame;
}

std::string text_of(const Frame& frame) {
    std::string text;
    for (const auto& line : frame.lines) {
        std::string row;
        for (const auto& span : line.spans) row += span.text;
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

}  // namespace ratectl
