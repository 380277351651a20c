// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include <ratecoord/backoff.hpp>

#include "ratectl/quantity.hpp"
#include "ratectl/top/columns.hpp"
#include "ratectl/top/draw.hpp"
#include "ratectl/top/marks.hpp"

namespace ratectl {

namespace {

constexpr std::size_t plot_lines_most = 8;
constexpr std::size_t plot_lines_least = 2;
constexpr std::string_view margin = "100% ";  // the scale, before each line of a plot

constexpr std::array<std::string_view, 15> help{
    "  up down j k    select a limit; clients and journal below are those of its budget",
    "  page up, page down, home, end",
    "  < > s          sort the clients by the next field; the mark tells by which",
    "  r              turn the order round",
    "  /              filter budgets, limits, keys, states, labels and pids",
    "  escape         drop the filter; go back",
    "  enter          the selected budget with larger plots, and back",
    "  p              hold the picture still; rates and plots go on behind it",
    "  + -            look less often, or more often",
    "  ctrl-l         paint the screen anew",
    "  q              quit",
    "",
    "  USED is what is in use of what can be granted at once when nothing is: in the window that",
    "  runs (fixed), or not yet regained. The plot shows how full that was, the latest at the "
    "right,",
    "  a column for each two seconds that top has looked."};

std::string title_of(const TopRow& row, bool unicode) {
    auto text = " " + shown(row.now.limit, unicode);
    if (!row.now.key.empty()) text += fmt::format(" of {}", shown(row.now.key, unicode));
    if (row.most == 0) return text + ": no key was used yet";
    text += fmt::format(": {} of {} in use, {}/s", row.used, row.most, rate_text(row.units));
    text += fmt::format(", next {}", row.now.next_in_ns ? format_left(*row.now.next_in_ns) : "-");
    text += fmt::format(", {} waiting", row.now.waiting);
    if (row.outside > 0) text += fmt::format(", {} outside", row.outside);
    return text;
}

std::vector<Line> plot_lines(const TopRow& row, std::size_t lines, std::size_t columns,
                             bool unicode) {
    std::vector<Line> result;
    const auto width = columns > margin.size() ? columns - margin.size() : 0;
    const auto plotted =
        tall_plot(row.past, std::min(width, TopHistory::slices_most), lines, unicode);
    for (std::size_t i = 0; i < plotted.size(); ++i) {
        const std::string_view scale = i == 0                    ? margin
                                       : i + 1 == plotted.size() ? "  0% "
                                                                 : "     ";
        result.push_back(cut({{{std::string(scale), Style::faint}, {plotted[i], Style::good}}},
                             columns, unicode));
    }
    return result;
}

}  // namespace

std::vector<Line> budget_lines(const ViewState& state, std::size_t lines, std::size_t columns) {
    const auto* budget = selected_budget(state);
    if (lines == 0 || budget == nullptr) return {};
    if (!budget->problem.empty()) return journal_lines(state, lines, columns);
    const bool unicode = state.options.unicode;
    std::vector<Line> result{
        cut({{{" " + shown(budget->name, unicode) + "  ", Style::title},
              {state_text(*budget, budget->state), style_of(budget->state)},
              {fmt::format("  {}, {} of {} retry units left",
                           format_counted(budget->clients.size(), "client"), budget->retry_units,
                           ratecoord::retry_units::full)}}},
            columns, unicode)};
    // Each plot as high as there is room; from the selected one on, if not all fit.
    const auto count = std::max<std::size_t>(budget->rows.size(), 1);
    const auto each = std::clamp((lines - 1) / count, plot_lines_least + 1, plot_lines_most + 1);
    std::size_t first = 0;
    if (count * each > lines - 1) {
        for (std::size_t i = 0; i < budget->rows.size(); ++i) {
            const auto& now = budget->rows[i].now;
            if (now.limit == state.selected.limit && now.key == state.selected.key) first = i;
        }
    }
    for (std::size_t i = first; i < budget->rows.size(); ++i) {
        if (result.size() + each > lines) break;
        result.push_back(cut({{{title_of(budget->rows[i], unicode)}}}, columns, unicode));
        for (auto& line : plot_lines(budget->rows[i], each - 1, columns, unicode)) {
            result.push_back(std::move(line));
        }
    }
    for (auto& line : journal_lines(state, lines - result.size(), columns)) {
        result.push_back(std::move(line));
    }
    return result;
}

std::vector<Line> help_lines(std::size_t lines, std::size_t columns, bool unicode) {
    std::vector<Line> result;
    for (const auto text : help) {
        if (result.size() < lines) {
            result.push_back(cut({{{std::string(text)}}}, columns, unicode));
        }
    }
    return result;
}

}  // namespace ratectl
