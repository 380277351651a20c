// SPDX-License-Identifier: Apache-2.0
#include "grammar/number.hpp"

#include <algorithm>
#include <charconv>

namespace ratecoord::grammar {

namespace {

constexpr std::size_t quoted_most = 80;  // an error stays one line of a terminal

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

std::string in_quotes(std::string_view text) {
    std::string shown = "'";
    for (const char c : text.substr(0, quoted_most)) {
        const bool printable = c >= ' ' && c != '\x7f';
        shown += printable || static_cast<unsigned char>(c) >= 0x80 ? c : '?';
    }
    return shown + (text.size() > quoted_most ? "...'" : "'");
}

Result<std::uint64_t> parse_number(std::string_view what, std::string_view text) {
    const auto refused = [&](std::string_view why) {
        return fail(ErrorCode::invalid_argument,
                    std::string(what) + " " + in_quotes(text) + " " + std::string(why));
    };
    if (text.empty()) return refused("is empty");
    if (text.front() == '-') return refused("is negative");
    if (!std::all_of(text.begin(), text.end(), is_digit)) return refused("is not a whole number");
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return refused("is larger than any count can be");
    }
    return value;
}

}  // namespace ratecoord::grammar
