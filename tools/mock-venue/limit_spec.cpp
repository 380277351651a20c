// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/limit_spec.hpp"

#include <algorithm>
#include <array>

#include "mock-venue/option_text.hpp"

namespace mock_venue {

namespace {

struct WindowUnit {
    std::int64_t ns;
    std::string_view letter;
    std::string_view word;
};

constexpr std::array window_units{
    WindowUnit{86'400'000'000'000, "D", "DAY"}, WindowUnit{3'600'000'000'000, "H", "HOUR"},
    WindowUnit{60'000'000'000, "M", "MINUTE"},  WindowUnit{1'000'000'000, "S", "SECOND"},
    WindowUnit{1'000'000, "MS", "MILLISECOND"}, WindowUnit{1'000, "US", "MICROSECOND"},
    WindowUnit{1, "NS", "NANOSECOND"},
};

const WindowUnit& largest_unit(Nanos window) {
    return *std::find_if(window_units.begin(), window_units.end(),
                         [&](const WindowUnit& unit) { return window.count() % unit.ns == 0; });
}

// Names become JSON keys, query parameters and header parts, so they stay plain.
void check_name(std::string_view name) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (name.empty() || !std::all_of(name.begin(), name.end(), plain)) {
        throw InvalidText("the name '" + std::string(name) +
                          "' must be of a-z, 0-9, '-' and '_', and not empty");
    }
}

LimitKind read_kind(std::string_view text) {
    for (const auto kind : {LimitKind::fixed, LimitKind::rolling, LimitKind::bucket}) {
        if (name_of(kind) == text) return kind;
    }
    throw InvalidText("the kind '" + std::string(text) + "' is not fixed, rolling or bucket");
}

void read_setting(LimitSpec& limit, std::string_view text) {
    const auto [key, value] = split_pair(text, '=');
    if (key == "kind") {
        limit.kind = read_kind(value);
    } else if (key == "burst") {
        limit.burst = read_number(value);
        if (limit.burst == 0) throw InvalidText("burst must be at least 1");
    } else if (key == "per") {
        if (value.empty()) throw InvalidText("per must be 'ip' or the name of a header");
        limit.per = value == "ip" ? "" : value;
    } else {
        throw InvalidText("'" + std::string(key) + "' is not kind, burst or per");
    }
}

}  // namespace

std::string_view name_of(LimitKind kind) {
    switch (kind) {
        case LimitKind::rolling:
            return "rolling";
        case LimitKind::bucket:
            return "bucket";
        case LimitKind::fixed:
            break;
    }
    return "fixed";
}

LimitSpec read_limit(std::string_view text) {
    // A year and a million million units keep every product below within 128 bits.
    constexpr Nanos longest = std::chrono::days{366};
    constexpr std::uint64_t largest = 1'000'000'000'000;
    LimitSpec limit;
    const auto [name, rule] = split_pair(text, '=');
    check_name(name);
    limit.name = name;
    const auto parts = split(rule, ',');
    const auto [quota, window] = split_pair(parts.front(), '/');
    limit.quota = read_number(quota);
    limit.window = limit.published = read_duration(window);
    for (std::size_t i = 1; i < parts.size(); ++i) read_setting(limit, parts[i]);
    if (limit.quota == 0) throw InvalidText("the quota must be at least 1 (0 is not 'no limit')");
    if (limit.quota > largest || limit.burst > largest) {
        throw InvalidText("quota and burst must be at most 1000000000000");
    }
    if (limit.window <= Nanos::zero() || limit.window > longest) {
        throw InvalidText("the window must be longer than 0 and at most 366d");
    }
    if (limit.kind == LimitKind::bucket && limit.burst == 0) limit.burst = limit.quota;
    if (limit.kind != LimitKind::bucket && limit.burst != 0) {
        throw InvalidText("burst belongs to kind=bucket only");
    }
    return limit;
}

void scale_window(LimitSpec& limit, std::uint64_t scale) {
    const auto divisor = static_cast<std::int64_t>(scale);
    if (divisor <= 0 || limit.published.count() % divisor != 0) {
        throw InvalidText("the window of '" + limit.name + "' does not divide by " +
                          std::to_string(scale));
    }
    limit.window = limit.published / divisor;
}

std::string header_window(Nanos window) {
    const WindowUnit& unit = largest_unit(window);
    return std::to_string(window.count() / unit.ns).append(unit.letter);
}

std::string message_window(Nanos window) {
    const WindowUnit& unit = largest_unit(window);
    return (std::to_string(window.count() / unit.ns) + " ").append(unit.word);
}

}  // namespace mock_venue
