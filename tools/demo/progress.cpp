// SPDX-License-Identifier: Apache-2.0
#include "demo/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace demo {

namespace {

bool on_terminal() {
    static const bool is = ::isatty(STDERR_FILENO) == 1;
    return is;
}

void print(const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

}  // namespace

void Progress::title(const std::string& text) {
    last_line_s_ = 0;
    print(text + '\n');
}

void Progress::tick(double passed_s, const std::string& text) {
    constexpr double lines_apart_s = 5;
    if (on_terminal()) return print(fmt::format("\r\033[K  {:.0f} s: {}", passed_s, text));
    if (passed_s - last_line_s_ < lines_apart_s) return;
    last_line_s_ = passed_s;
    print(fmt::format("  {:.0f} s: {}\n", passed_s, text));
}

void Progress::done(const std::string& text) {
    print(fmt::format("{}  {}\n", on_terminal() ? "\r\033[K" : "", text));
}

void Progress::calls(double passed_s, const VenueNow& now) {
    tick(passed_s, fmt::format("{} calls, {} accepted, {} rejected", now.requests, now.accepted,
                               now.rejected));
}

}  // namespace demo
