// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/plot.hpp"

#include <sstream>

#include "support/catch.hpp"

using namespace ratectl;
using simulation::Timeline;

namespace {

// So many admitted and rejected in the second that begins at `second`.
void add(Timeline& timeline, int second, int admitted, int rejected) {
    for (int i = 0; i < admitted; ++i) timeline.add(second, true);
    for (int i = 0; i < rejected; ++i) timeline.add(second, false);
}

Timeline herd() {
    Timeline timeline;
    add(timeline, 0, 10, 90);
    add(timeline, 1, 10, 1);
    add(timeline, 40, 1, 0);
    return timeline;
}

std::string plot(const Axes& axes, bool colour = false) {
    std::ostringstream stream;
    Console console(stream, stream);
    console.colour = colour;
    const auto timeline = herd();
    const Plot plots[] = {{"full jitter", timeline}};
    return render_plots(plots, axes, console);
}

std::string row_of(const std::string& text, const std::string& from) {
    const auto begin = text.find("\n" + from) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
}

std::size_t widest(const std::string& text) {
    std::istringstream lines(text);
    std::size_t width = 0;
    for (std::string line; std::getline(lines, line);) width = std::max(width, line.size());
    return width;
}

}  // namespace

TEST_CASE("a plot is as wide as it may be and no wider") {
    for (const std::size_t width : {40u, 60u, 80u, 120u, 400u}) {
        INFO(width);
        CHECK(widest(plot({.quota = 10, .width = width})) <= width);
        CHECK(widest(plot({.quota = 10, .width = width})) >= width - 2);
    }
}

TEST_CASE("what is more than nothing is at least one character, and the quota hides nothing") {
    const auto text = plot({.quota = 10, .width = 60});
    CHECK_THAT(text, Catch::Contains("full jitter, a row is 5s"));
    // 21 of 111 admitted in the first five seconds: 4 a second; 18.2 rejected.
    const auto first = row_of(text, "  0s");
    CHECK(std::count(first.begin(), first.end(), '|') == 1);
    CHECK_THAT(first, Catch::Contains("4.0") && Catch::Contains("18.2"));
    const auto last = row_of(text, " 40s");
    CHECK(std::count(last.begin(), last.end(), '#') == 1);
    const auto empty = row_of(text, "  5s");
    CHECK(std::count(empty.begin(), empty.end(), '#') == 0);
}

TEST_CASE("bars are coloured where colour is wanted, and the same without it") {
    const auto plain = plot({.quota = 10, .width = 60});
    CHECK(plain.find('\x1b') == std::string::npos);
    auto coloured = plot({.quota = 10, .width = 60}, true);
    CHECK_THAT(coloured, Catch::Contains("\x1b[32m#") && Catch::Contains("\x1b[31mx"));
    for (const std::string code : {"\x1b[32m", "\x1b[31m", "\x1b[0m"}) {
        for (auto at = coloured.find(code); at != std::string::npos; at = coloured.find(code)) {
            coloured.erase(at, code.size());
        }
    }
    CHECK(coloured == plain);
}

TEST_CASE("plots of one call share a scale; slices only if they are told to") {
    std::ostringstream stream;
    Console console(stream, stream);
    const auto longer = herd();
    Timeline shorter;
    add(shorter, 0, 100, 0);
    const Plot plots[] = {{"longer", longer}, {"shorter", shorter}};
    const auto own = render_plots(plots, {.width = 80}, console);
    CHECK_THAT(own,
               Catch::Contains("longer, a row is 5s") && Catch::Contains("shorter, a row is 1ms"));
    const auto same = render_plots(plots, {.width = 80, .same_slices = true}, console);
    CHECK_THAT(same,
               Catch::Contains("longer, a row is 5s") && Catch::Contains("shorter, a row is 5s"));
}
