// SPDX-License-Identifier: Apache-2.0
#include "core/definition.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/rule.hpp"

namespace ratecoord::core {
namespace {

constexpr std::int64_t slack_min_ns = 5 * millisecond_ns;
constexpr std::int64_t slack_max_ns = 3600 * second_ns;
/// Counts stand in 32 bits beside each other in the state; half of that leaves room for sums.
constexpr std::uint64_t units_max = std::uint64_t{1} << 31;
/// So that full_at plus a tolerance plus a cost stays below `far`.
constexpr std::int64_t tolerance_max_ns = far / 2;

bool is_name(std::string_view text, std::size_t longest) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    };
    return !text.empty() && text.size() <= longest &&
           std::all_of(text.begin(), text.end(), allowed);
}

template <std::size_t N>
std::string_view text_of(const std::array<char, N>& field) {
    const auto end = std::find(field.begin(), field.end(), '\0');
    return {field.data(), static_cast<std::size_t>(end - field.begin())};
}

template <std::size_t N>
void store(std::array<char, N>& field, std::string_view text) {
    field.fill('\0');
    std::copy_n(text.begin(), std::min(text.size(), N - 1), field.begin());
}

std::string nanoseconds(std::int64_t ns) {
    if (ns != 0 && ns % second_ns == 0) return std::to_string(ns / second_ns) + "s";
    if (ns != 0 && ns % millisecond_ns == 0) return std::to_string(ns / millisecond_ns) + "ms";
    return std::to_string(ns) + "ns";
}

std::uint64_t default_burst(const LimitDefinition& d) {
    switch (d.kind) {
        case LimitKind::bucket:
            return d.quota;
        case LimitKind::rolling:
            return std::max({d.largest_cost, d.quota / 20, std::uint64_t{1}});
        case LimitKind::fixed:
            return std::max<std::uint64_t>(1, d.quota / 100);
        case LimitKind::spacing:
            return 1;
    }
    return 1;
}

std::optional<std::string> wrong_numbers(const LimitDefinition& d) {
    const std::int64_t window = d.window.count();
    const std::int64_t slack = d.slack.count();
    if (d.quota == 0) return "quota is 0; a limit needs at least 1 unit a window";
    if (d.quota > units_max) {
        return "quota " + std::to_string(d.quota) + " is above " + std::to_string(units_max);
    }
    if (window <= 0) return "window is " + nanoseconds(window) + "; it must be longer than 0";
    if (window > year_ns) return "window " + nanoseconds(window) + " is longer than a year";
    if (slack < slack_min_ns) return "slack " + nanoseconds(slack) + " is below 5ms";
    if (slack > slack_max_ns) return "slack " + nanoseconds(slack) + " is above 1h";
    if (d.largest_cost == 0 || d.largest_cost > units_max) {
        return "largest cost " + std::to_string(d.largest_cost) + " is not between 1 and " +
               std::to_string(units_max);
    }
    if (d.kind != LimitKind::bucket && d.burst > d.quota) {
        return "burst " + std::to_string(d.burst) + " is above the quota " +
               std::to_string(d.quota);
    }
    if (d.burst > units_max) {
        return "burst " + std::to_string(d.burst) + " is above " + std::to_string(units_max);
    }
    if (d.kind == LimitKind::fixed && window - 2 * slack <= 0) {
        return "slack " + nanoseconds(slack) + " on both sides leaves nothing of the window " +
               nanoseconds(window);
    }
    if (d.kind == LimitKind::spacing && (d.quota != 1 || d.reserve_percent != 0)) {
        return "spacing takes a quota of 1 and no reserve";
    }
    if (d.spread && d.kind != LimitKind::fixed) return "spread goes with kind=fixed only";
    if (d.reserve_percent > 90) {
        return "reserve " + std::to_string(d.reserve_percent) + "% is above 90%";
    }
    return std::nullopt;
}

std::optional<std::string> wrong_rule(const LimitRecord& record, const Rule& rule) {
    for (std::size_t i = 0; i < (rule.has_reserve ? lanes : 1); ++i) {
        const LaneRule& lane = rule.lane[i];
        const std::string where =
            rule.has_reserve ? (i == 0 ? " in the normal lane" : " in the critical lane") : "";
        if (lane.largest == 0) {
            if (record.kind == static_cast<std::uint8_t>(LimitKind::bucket)) {
                return "slack " + nanoseconds(record.slack_ns) + " leaves no unit of burst " +
                       std::to_string(record.burst) + where;
            }
            return "not even one unit fits" + where;
        }
        if (lane.bucket.tolerance > tolerance_max_ns) {
            return "burst " + std::to_string(record.burst) +
                   " stands for a longer time than can be counted" + where;
        }
    }
    if (rule.lane[0].largest < record.largest_cost) {
        return "the largest cost " + std::to_string(record.largest_cost) +
               " can never fit; at most " + std::to_string(rule.lane[0].largest) +
               " at once (raise burst, or lower reserve or slack)";
    }
    return std::nullopt;
}

}  // namespace

std::variant<LimitRecord, DefinitionError> to_record(const LimitDefinition& d) {
    const auto error = [&](std::string why) {
        return DefinitionError{"limit '" + d.name + "': " + std::move(why)};
    };
    if (!is_name(d.name, 31))
        return error("a name is 1 to 31 characters of a-z, 0-9, '_', '-', '.'");
    if (!d.per.empty() && !is_name(d.per, 15)) {
        return error("per='" + d.per + "' is not 1 to 15 characters of a-z, 0-9, '_', '-', '.'");
    }
    if (auto why = wrong_numbers(d)) return error(*why);

    LimitRecord record{};
    store(record.name, d.name);
    store(record.per, d.per);
    record.quota = d.quota;
    record.window_ns = d.window.count();
    record.burst = d.burst != 0 ? d.burst : std::min(default_burst(d), units_max);
    record.slack_ns = d.slack.count();
    record.largest_cost = d.largest_cost;
    record.reserve_percent = d.reserve_percent;
    record.kind = static_cast<std::uint8_t>(d.kind);
    record.spread = d.spread ? 1 : 0;
    record.in_use = 1;
    if (d.kind == LimitKind::rolling && record.burst > record.quota) {
        return error("the largest cost " + std::to_string(d.largest_cost) + " is above the quota " +
                     std::to_string(d.quota));
    }
    if (auto why = wrong_rule(record, compile(record))) return error(*why);
    return record;
}

bool valid(const LimitRecord& record) noexcept {
    if (record.in_use != 1 || record.name.back() != '\0' || record.per.back() != '\0') return false;
    if (record.kind < 1 || record.kind > 4 || record.spread > 1) return false;
    if (record.window_ns <= 0 || record.window_ns > year_ns) return false;
    if (record.quota == 0 || record.quota > units_max || record.burst == 0 ||
        record.burst > units_max || record.largest_cost == 0 || record.largest_cost > units_max ||
        record.reserve_percent > 90) {
        return false;
    }
    if (record.slack_ns < slack_min_ns || record.slack_ns > slack_max_ns) return false;
    const auto kind = static_cast<LimitKind>(record.kind);
    if (kind != LimitKind::bucket && record.burst > record.quota) return false;
    if (kind == LimitKind::fixed && record.window_ns - 2 * record.slack_ns <= 0) return false;
    const Rule rule = compile(record);
    for (std::size_t i = 0; i < (rule.has_reserve ? lanes : 1); ++i) {
        if (rule.lane[i].largest == 0 || rule.lane[i].bucket.tolerance > tolerance_max_ns) {
            return false;
        }
    }
    return true;
}

LimitDefinition to_definition(const LimitRecord& record) {
    LimitDefinition d;
    d.name = text_of(record.name);
    d.per = text_of(record.per);
    d.kind = static_cast<LimitKind>(record.kind);
    d.quota = record.quota;
    d.window = std::chrono::nanoseconds(record.window_ns);
    d.burst = record.burst;
    d.slack = std::chrono::nanoseconds(record.slack_ns);
    d.reserve_percent = record.reserve_percent;
    d.spread = record.spread != 0;
    d.largest_cost = record.largest_cost;
    return d;
}

}  // namespace ratecoord::core
