// SPDX-License-Identifier: Apache-2.0
//
// What stands on the screen: lines of text in styles. Tests read it; a terminal paints it.
//
// PROMISE  A frame has at most `size.lines` lines, none wider than `size.columns`.
// SHARING  Values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ratectl {

enum class Style { plain, title, faint, good, warning, alarm };

struct Span {
    std::string text;
    Style style = Style::plain;
};

struct Line {
    std::vector<Span> spans;
    bool selected = false;
};

struct ScreenSize {
    std::size_t lines = 24;
    std::size_t columns = 80;
};

struct Frame {
    std::vector<Line> lines;
};

/// Without styles and without blanks at the ends of lines.
std::string text_of(const Frame& frame);

}  // namespace ratectl
