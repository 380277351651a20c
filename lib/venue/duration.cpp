// SPDX-License-Identifier: Apache-2.0
#include "venue/duration.hpp"

#include <array>
#include <cstdint>

namespace ratecoord::venue {
namespace {

struct Name {
    std::string_view text;
    std::int64_t ns;
};

constexpr std::array<Name, 7> names{{{"d", 86'400'000'000'000},
                                     {"h", 3'600'000'000'000},
                                     {"m", 60'000'000'000},
                                     {"s", 1'000'000'000},
                                     {"ms", 1'000'000},
                                     {"us", 1'000},
                                     {"ns", 1}}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view take_while(std::string_view& rest, bool digits) {
    std::size_t length = 0;
    while (length < rest.size() && is_digit(rest[length]) == digits) ++length;
    const auto taken = rest.substr(0, length);
    rest.remove_prefix(length);
    return taken;
}

bool to_number(std::string_view digits, std::int64_t& number) {
    number = 0;
    for (const char c : digits) {
        if (__builtin_mul_overflow(number, std::int64_t{10}, &number) ||
            __builtin_add_overflow(number, std::int64_t{c - '0'}, &number)) {
            return false;
        }
    }
    return !digits.empty();
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) noexcept {
    if (text.empty()) return std::nullopt;
    std::int64_t sum = 0;
    std::size_t next = 0;  // the largest unit that may still come
    while (!text.empty()) {
        std::int64_t part = 0;
        if (!to_number(take_while(text, true), part)) return std::nullopt;
        const auto name = take_while(text, false);
        while (next < names.size() && names[next].text != name) ++next;
        if (next == names.size()) return std::nullopt;
        if (__builtin_mul_overflow(part, names[next].ns, &part) ||
            __builtin_add_overflow(sum, part, &sum)) {
            return std::nullopt;
        }
        ++next;
    }
    return std::chrono::nanoseconds(sum);
}

std::string format_duration(std::chrono::nanoseconds duration) {
    std::int64_t rest = duration.count();
    if (rest <= 0) return "0s";
    std::string text;
    for (const auto& name : names) {
        if (rest < name.ns) continue;
        text += std::to_string(rest / name.ns);
        text += name.text;
        rest %= name.ns;
    }
    return text;
}

}  // namespace ratecoord::venue
