// SPDX-License-Identifier: Apache-2.0
//
// The state of the full-screen view: what is selected, sorted, filtered, and what a key does to it.
//
// PROMISE  A pure function of the samples and the keys given to it. What is selected stays selected
//          by name, wherever its row goes.
// SHARING  One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ratectl/reports/top_report.hpp"
#include "ratectl/top/frame.hpp"
#include "ratectl/top/history.hpp"

namespace ratectl {

struct Key {
    enum class Kind {
        text,
        up,
        down,
        left,
        right,
        page_up,
        page_down,
        home,
        end,
        enter,
        escape,
        erase
    };
    Kind kind = Kind::text;
    std::string text;  ///< one character
};

struct ViewOptions {
    std::int64_t interval_ns = 500'000'000;
    TopSort sort = TopSort::permits;
    std::string filter;
    bool unicode = true;
};

/// What may be asked for; '+' and '-' step through some of it.
inline constexpr std::int64_t interval_least_ns = 50'000'000;
inline constexpr std::int64_t interval_most_ns = 60'000'000'000;

/// A row of the limits, by name.
struct RowName {
    std::string budget;
    std::string limit;
    std::string key;
    bool operator==(const RowName&) const = default;
};

enum class Page { overview, budget, help };

/// What a frame is drawn from.
struct ViewState {
    ViewOptions options;
    TopReport report;  ///< sorted and filtered
    RowName selected;
    Page page = Page::overview;
    bool reverse = false;
    bool paused = false;  ///< rates and plots go on, only the picture stands
    bool typing = false;  ///< the filter
};

std::vector<RowName> row_names(const TopReport& report);
/// Index into row_names(); 0 if it is not there.
std::size_t selected_index(const ViewState& state);
/// nullptr if there is none.
const TopBudget* selected_budget(const ViewState& state);

class TopView {
  public:
    explicit TopView(ViewOptions options);

    void take(const TopSample& sample);
    void press(const Key& key);

    const ViewState& state() const { return state_; }
    bool quits() const { return quits_; }

  private:
    void type(const Key& key);
    void command(char key);
    void move(std::ptrdiff_t by);
    void change_sort(std::ptrdiff_t by);
    void change_interval(bool longer);
    void rebuild();

    ViewState state_;
    TopHistory history_;
    TopReport whole_;            // of the latest sample that is shown
    std::string filter_before_;  // what escape brings back
    bool quits_ = false;
};

}  // namespace ratectl
