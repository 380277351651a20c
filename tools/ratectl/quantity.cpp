// SPDX-License-Identifier: Apache-2.0
#include "ratectl/quantity.hpp"

#include <fmt/format.h>

namespace ratectl {

namespace {

constexpr std::int64_t ms_ns = 1'000'000;
constexpr std::int64_t second_ns = 1000 * ms_ns;

std::int64_t divide(std::int64_t ns, std::int64_t unit, bool up) {
    return ns / unit + (up && ns % unit != 0 ? 1 : 0);
}

std::string two_parts(std::int64_t larger, const char* larger_unit, std::int64_t smaller,
                      const char* smaller_unit) {
    if (smaller == 0) return fmt::format("{}{}", larger, larger_unit);
    return fmt::format("{}{}{}{}", larger, larger_unit, smaller, smaller_unit);
}

std::string format_time(std::int64_t ns, bool up) {
    const std::int64_t ms = divide(ns, ms_ns, up);
    if (ms < 1000) return fmt::format("{}ms", ms);
    const std::int64_t tenths = divide(ns, 100 * ms_ns, up);
    if (tenths < 600) return fmt::format("{}.{}s", tenths / 10, tenths % 10);
    const std::int64_t seconds = divide(ns, second_ns, up);
    if (seconds < 3600) return two_parts(seconds / 60, "m", seconds % 60, "s");
    const std::int64_t minutes = divide(ns, 60 * second_ns, up);
    if (minutes < 24 * 60) return two_parts(minutes / 60, "h", minutes % 60, "m");
    const std::int64_t hours = divide(ns, 3600 * second_ns, up);
    return two_parts(hours / 24, "d", hours % 24, "h");
}

}  // namespace

std::string format_left(std::int64_t ns) {
    return ns <= 0 ? "now" : format_time(ns, true);
}

std::string format_age(std::int64_t ns) {
    return format_time(ns < 0 ? 0 : ns, false);
}

std::string format_rate(std::uint64_t per_second_milli) {
    if (per_second_milli == 0) return "<0.001/s";
    const auto whole = per_second_milli / 1000;
    const auto rest = per_second_milli % 1000;
    if (whole == 0) return fmt::format("0.{:03}/s", rest);
    return fmt::format("{}.{}/s", whole, rest / 100);
}

std::string format_count(std::optional<std::uint64_t> count) {
    return count ? fmt::format("{}", *count) : "-";
}

std::string format_counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
    if (count == 1) return fmt::format("1 {}", noun);
    return plural.empty() ? fmt::format("{} {}s", count, noun)
                          : fmt::format("{} {}", count, plural);
}

}  // namespace ratectl
