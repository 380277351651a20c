// SPDX-License-Identifier: Apache-2.0
#include "ratectl/top/view.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ratectl {

namespace {

constexpr std::array<std::int64_t, 9> intervals_ms{100,   200,    500,    1'000, 2'000,
                                                   5'000, 10'000, 30'000, 60'000};
constexpr std::int64_t ms_ns = 1'000'000;
constexpr std::ptrdiff_t page_rows = 10;
constexpr std::size_t filter_bytes_most = 64;

}  // namespace

TopView::TopView(ViewOptions options) {
    state_.options = std::move(options);
}

void TopView::take(const TopSample& sample) {
    history_.add(sample);
    if (state_.paused) return;
    whole_ = make_top_report(sample, history_);
    rebuild();
}

void TopView::rebuild() {
    state_.report = whole_;
    sort_clients(state_.report, state_.options.sort, state_.reverse);
    keep_matching(state_.report, state_.options.filter);
    const auto names = row_names(state_.report);
    const bool stands = std::find(names.begin(), names.end(), state_.selected) != names.end();
    if (stands || names.empty()) return;
    // The row went: its budget, if that is still there, else the first.
    const auto same = std::find_if(names.begin(), names.end(), [&](const RowName& name) {
        return name.budget == state_.selected.budget;
    });
    state_.selected = same != names.end() ? *same : names.front();
}

std::vector<RowName> row_names(const TopReport& report) {
    std::vector<RowName> names;
    for (const auto& budget : report.budgets) {
        for (const auto& row : budget.rows) {
            names.push_back({budget.name, row.now.limit, row.now.key});
        }
        if (budget.rows.empty()) names.push_back({budget.name, "", ""});
    }
    return names;
}

std::size_t selected_index(const ViewState& state) {
    const auto names = row_names(state.report);
    const auto found = std::find(names.begin(), names.end(), state.selected);
    return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
}

const TopBudget* selected_budget(const ViewState& state) {
    const auto found =
        std::find_if(state.report.budgets.begin(), state.report.budgets.end(),
                     [&](const TopBudget& budget) { return budget.name == state.selected.budget; });
    return found == state.report.budgets.end() ? nullptr : &*found;
}

void TopView::move(std::ptrdiff_t by) {
    const auto names = row_names(state_.report);
    if (names.empty()) return;
    const auto last = static_cast<std::ptrdiff_t>(names.size()) - 1;
    const auto to = std::clamp<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(selected_index(state_)) + by, 0, last);
    state_.selected = names[static_cast<std::size_t>(to)];
}

void TopView::change_sort(std::ptrdiff_t by) {
    constexpr std::ptrdiff_t count = static_cast<std::ptrdiff_t>(TopSort::pid) + 1;
    const auto now = static_cast<std::ptrdiff_t>(state_.options.sort);
    state_.options.sort = static_cast<TopSort>((now + by + count) % count);
    rebuild();
}

void TopView::change_interval(bool longer) {
    const auto now = state_.options.interval_ns / ms_ns;
    if (longer) {
        const auto next = std::upper_bound(intervals_ms.begin(), intervals_ms.end(), now);
        if (next != intervals_ms.end()) state_.options.interval_ns = *next * ms_ns;
    } else {
        const auto next = std::lower_bound(intervals_ms.begin(), intervals_ms.end(), now);
        if (next != intervals_ms.begin()) state_.options.interval_ns = *std::prev(next) * ms_ns;
    }
}

void TopView::type(const Key& key) {
    auto& filter = state_.options.filter;
    switch (key.kind) {
        case Key::Kind::enter:
            state_.typing = false;
            return;
        case Key::Kind::escape:
            state_.typing = false;
            filter = filter_before_;
            break;
        case Key::Kind::erase:
            while (!filter.empty() && (static_cast<unsigned char>(filter.back()) & 0xc0U) == 0x80U)
                filter.pop_back();
            if (!filter.empty()) filter.pop_back();
            break;
        case Key::Kind::text:
            if (filter.size() + key.text.size() <= filter_bytes_most) filter += key.text;
            break;
        default:
            return;
    }
    rebuild();
}

void TopView::press(const Key& key) {
    if (state_.typing) return type(key);
    if (state_.page == Page::help && key.text != "q") {
        state_.page = Page::overview;  // any key goes back
        return;
    }
    switch (key.kind) {
        case Key::Kind::text:
            if (key.text.size() == 1) command(key.text.front());
            return;
        case Key::Kind::up:
            return move(-1);
        case Key::Kind::down:
            return move(1);
        case Key::Kind::page_up:
            return move(-page_rows);
        case Key::Kind::page_down:
            return move(page_rows);
        case Key::Kind::home:
            return move(-static_cast<std::ptrdiff_t>(selected_index(state_)));
        case Key::Kind::end:
            return move(static_cast<std::ptrdiff_t>(row_names(state_.report).size()));
        case Key::Kind::left:
            return change_sort(-1);
        case Key::Kind::right:
            return change_sort(1);
        case Key::Kind::enter:
            state_.page = state_.page == Page::overview ? Page::budget : Page::overview;
            return;
        case Key::Kind::escape:
            if (state_.page == Page::overview) state_.options.filter.clear();
            state_.page = Page::overview;
            return rebuild();
        case Key::Kind::erase:
            return;
    }
}

void TopView::command(char key) {
    switch (key) {
        case 'q':
            quits_ = true;
            return;
        case 'k':
            return move(-1);
        case 'j':
            return move(1);
        case '<':
            return change_sort(-1);
        case '>':
        case 's':
            return change_sort(1);
        case 'r':
            state_.reverse = !state_.reverse;
            return rebuild();
        case '/':
            state_.typing = true;
            filter_before_ = std::exchange(state_.options.filter, "");
            return rebuild();
        case 'p':
            state_.paused = !state_.paused;
            return;
        case '+':
            return change_interval(true);
        case '-':
            return change_interval(false);
        case '?':
        case 'h':
            state_.page = Page::help;
            return;
        default:
            return;
    }
}

}  // namespace ratectl
