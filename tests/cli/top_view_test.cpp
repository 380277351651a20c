// SPDX-License-Identifier: Apache-2.0
//
// Frames of the full-screen view stand under frames/, as text; UPDATE_GOLDEN=1 rewrites them.
#include <clocale>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "cli/top_scene.hpp"
#include "ratectl/top/draw.hpp"
#include "ratectl/top/marks.hpp"
#include "support/catch.hpp"

using namespace ratectl;
using ratecoord::testing::scene;
using ratecoord::testing::second;

namespace {

TopView view_of(bool unicode = false) {
    ViewOptions options;
    options.unicode = unicode;
    TopView view(options);
    for (int i = 0; i <= 60; ++i) {
        view.take(scene((100 + 2 * i) * second, static_cast<std::uint64_t>(100 * i)));
    }
    return view;
}

void press(TopView& view, const std::string& keys) {
    for (const char c : keys) view.press({Key::Kind::text, std::string(1, c)});
}

std::string text(const TopView& view, ScreenSize size = {}) {
    return text_of(draw(view.state(), size));
}

void check_frame(const std::string& name, const std::string& got) {
    const auto path =
        std::string(std::getenv("RATECOORD_SOURCE_DIR")) + "/tests/cli/frames/" + name + ".txt";
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path) << got;
        return;
    }
    std::ifstream stream(path);
    const std::string expected{std::istreambuf_iterator<char>(stream), {}};
    INFO(name);
    CHECK(got == expected);
}

}  // namespace

TEST_CASE("the frames of top are those that were looked at") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    auto view = view_of();
    check_frame("overview_80x24", text(view));
    check_frame("overview_40x10", text(view, {10, 40}));
    check_frame("overview_140x40", text(view_of(true), {40, 140}));
    press(view, "j");
    check_frame("second_row_80x24", text(view));
    view.press({Key::Kind::enter, ""});
    check_frame("budget_80x24", text(view));
    press(view, "?");
    check_frame("help_80x24", text(view));
    std::setlocale(LC_CTYPE, "C");
}

TEST_CASE("a frame fits every size, whatever page it shows") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    for (const char* keys : {"", "j", "?", "/nothing"}) {
        for (const bool enter : {false, true}) {
            auto view = view_of(true);
            press(view, keys);
            if (enter) view.press({Key::Kind::enter, ""});
            for (std::size_t lines = 0; lines < 45; ++lines) {
                for (std::size_t columns = 0; columns < 130; columns += columns < 20 ? 1 : 9) {
                    const auto frame = draw(view.state(), {lines, columns});
                    REQUIRE(frame.lines.size() <= lines);
                    for (const auto& line : frame.lines) {
                        std::size_t width = 0;
                        for (const auto& span : line.spans) width += columns_of(span.text);
                        REQUIRE(width <= columns);
                    }
                }
            }
        }
    }
    std::setlocale(LC_CTYPE, "C");
}

TEST_CASE("what is selected stays selected when its row moves or goes") {
    auto view = view_of();
    CHECK(view.state().selected.budget == "kraken");
    press(view, "j");
    CHECK(view.state().selected.budget == "binance");
    auto sample = scene(300 * second, 10);
    sample.budgets[0].snapshot.state = ratecoord::BudgetState::banned;  // "binance" is first now
    view.take(sample);
    CHECK(view.state().selected.budget == "binance");
    CHECK(selected_index(view.state()) == 0);
    sample.budgets.erase(sample.budgets.begin());
    view.take(sample);
    CHECK(view.state().selected.budget == "kraken");
    sample.budgets.clear();
    view.take(sample);
    press(view, "jk");
    CHECK_THAT(text(view), Catch::Contains("no budgets yet"));
}

TEST_CASE("keys change sort, order, interval and page") {
    auto view = view_of();
    press(view, "s");
    CHECK(view.state().options.sort == TopSort::units);
    press(view, "<<");
    CHECK(view.state().options.sort == TopSort::pid);
    press(view, ">");
    CHECK(view.state().options.sort == TopSort::permits);
    press(view, "r");
    CHECK(view.state().reverse);
    press(view, "+");
    CHECK(view.state().options.interval_ns == second);
    press(view, "---------");
    CHECK(view.state().options.interval_ns == second / 10);
    press(view, "+++++++++++++++");
    CHECK(view.state().options.interval_ns == 60 * second);
    view.press({Key::Kind::enter, ""});
    CHECK(view.state().page == Page::budget);
    view.press({Key::Kind::escape, ""});
    CHECK(view.state().page == Page::overview);
    CHECK_FALSE(view.quits());
    press(view, "q");
    CHECK(view.quits());
}

TEST_CASE("the filter is typed, corrected, kept or dropped") {
    auto view = view_of();
    press(view, "/binaq");
    CHECK_FALSE(view.quits());
    CHECK_THAT(text(view), Catch::Contains("nothing matches") && Catch::Contains("filter: binaq_"));
    view.press({Key::Kind::erase, ""});
    CHECK(view.state().report.budgets.size() == 1);
    view.press({Key::Kind::enter, ""});
    CHECK_THAT(text(view), Catch::Contains("filter 'bina'"));
    press(view, "/");
    view.press({Key::Kind::text, "\xc3\xa4"});
    view.press({Key::Kind::erase, ""});
    CHECK(view.state().options.filter.empty());
    view.press({Key::Kind::escape, ""});
    CHECK(view.state().options.filter == "bina");
    view.press({Key::Kind::escape, ""});
    CHECK(view.state().options.filter.empty());
    CHECK(view.state().report.budgets.size() == 2);
}

TEST_CASE("a paused display stands still while rates and plots go on") {
    auto view = view_of();
    press(view, "p");
    const auto before = text(view);
    view.take(scene(230 * second, 1));
    view.take(scene(232 * second, 201));
    CHECK(text(view) == before);
    press(view, "p");
    view.take(scene(234 * second, 401));
    CHECK(view.state().report.budgets[1].rows[0].units == 100'000);
}
