// SPDX-License-Identifier: Apache-2.0
#include "ratectl/terminal_width.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "grammar/number.hpp"

namespace ratectl {

namespace {

std::uint64_t asked_for() {
    if (const char* columns = std::getenv("COLUMNS")) {
        const auto number = ratecoord::grammar::parse_number("COLUMNS", columns);
        if (number && *number > 0) return *number;
    }
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

}  // namespace

std::size_t terminal_width() {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(asked_for(), 40, 400));
}

}  // namespace ratectl
