// SPDX-License-Identifier: Apache-2.0
#include "grammar/limit_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "grammar/duration.hpp"
#include "grammar/number.hpp"

namespace ratecoord::grammar {

namespace {

constexpr std::string_view form = "NAME=QUOTA/WINDOW, such as weight=6000/1m,kind=fixed";

constexpr std::array<std::pair<std::string_view, LimitKind>, 4> kinds{
    {{"fixed", LimitKind::fixed},
     {"rolling", LimitKind::rolling},
     {"bucket", LimitKind::bucket},
     {"spacing", LimitKind::spacing}}};

tl::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_argument, std::move(why));
}

// The error of `result`, if it has one; else its value goes to `target`.
template <typename Value, typename Target>
Result<void> store(const Result<Value>& result, Target& target) {
    if (!result) return tl::unexpected(result.error());
    target = static_cast<Target>(*result);
    return {};
}

Result<void> read_kind(std::string_view text, LimitDefinition& limit) {
    for (const auto& [name, kind] : kinds) {
        if (name != text) continue;
        limit.kind = kind;
        return {};
    }
    return refused("kind " + in_quotes(text) + " is none of fixed, rolling, bucket and spacing");
}

// 0 in a definition asks for the default; a person who writes 0 means something else.
Result<void> read_positive(std::string_view what, std::string_view text, std::uint64_t& target) {
    if (auto read = store(parse_number(what, text), target); !read) return read;
    if (target == 0) return refused(std::string(what) + " '0' must be at least 1");
    return {};
}

Result<void> read_reserve(std::string_view text, LimitDefinition& limit) {
    if (!text.ends_with('%')) {
        return refused("reserve " + in_quotes(text) + " is not a percentage such as 5%");
    }
    const auto percent = parse_number("reserve", text.substr(0, text.size() - 1));
    if (!percent) return tl::unexpected(percent.error());
    if (*percent > 100) return refused("reserve " + in_quotes(text) + " is above 100%");
    limit.reserve_percent = static_cast<std::uint32_t>(*percent);
    return {};
}

Result<void> read_field(std::string_view name, std::optional<std::string_view> value,
                        LimitDefinition& limit) {
    if (name == "spread") {
        if (value) return refused("spread takes no value");
        limit.spread = true;
        return {};
    }
    static constexpr std::array known{"kind", "burst", "slack", "per", "reserve", "largest"};
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        return refused("the field " + in_quotes(name) +
                       " is none of kind, burst, slack, per, reserve, spread and largest");
    }
    if (!value) return refused(std::string(name) + " needs a value: " + std::string(name) + "=...");
    if (name == "kind") return read_kind(*value, limit);
    if (name == "burst") return read_positive("burst", *value, limit.burst);
    if (name == "largest") return read_positive("largest", *value, limit.largest_cost);
    if (name == "slack") return store(parse_duration("slack", *value), limit.slack);
    if (name == "reserve") return read_reserve(*value, limit);
    if (value->empty()) return refused("per '' is empty; write what splits the limit, as account");
    limit.per = *value;
    return {};
}

Result<void> read_rate(std::string_view text, LimitDefinition& limit) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) {
        return refused(in_quotes(text) + " is not QUOTA/WINDOW, such as 6000/1m");
    }
    if (auto read = store(parse_number("quota", text.substr(0, slash)), limit.quota); !read) {
        return read;
    }
    return store(parse_duration("window", text.substr(slash + 1)), limit.window);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

Result<void> read_fields(const std::vector<std::string_view>& parts, LimitDefinition& limit,
                         std::vector<std::string_view>& seen) {
    for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
        const auto equals = part->find('=');
        const auto name = part->substr(0, equals);
        std::optional<std::string_view> value;
        if (equals != std::string_view::npos) value = part->substr(equals + 1);
        if (part->empty()) return refused("a field after a comma is empty");
        if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
            return refused(std::string(name) + " is given twice");
        }
        if (auto read = read_field(name, value, limit); !read) return read;
        seen.push_back(name);
    }
    return {};
}

bool contains(const std::vector<std::string_view>& seen, std::string_view name) {
    return std::find(seen.begin(), seen.end(), name) != seen.end();
}

void settle_burst(const LimitDefinition& base, LimitDefinition& limit) {
    if (limit.kind != base.kind) {
        limit.burst = 0;
        if (limit.kind != LimitKind::fixed) limit.spread = false;
    } else if (limit.kind != LimitKind::bucket) {
        limit.burst = std::min(limit.burst, limit.quota);
    }
}

}  // namespace

std::string limit_name(std::string_view text) {
    const auto equals = text.find('=');
    return equals == std::string_view::npos ? std::string() : std::string(text.substr(0, equals));
}

Result<LimitDefinition> parse_limit(std::string_view text, const LimitDefinition* base) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        return refused("limit " + in_quotes(text) + " is not written " + std::string(form));
    }
    LimitDefinition limit = base != nullptr ? *base : LimitDefinition{};
    limit.name = text.substr(0, equals);
    if (limit.name.empty()) {
        return refused("limit " + in_quotes(text) + " has no name; write " + std::string(form));
    }
    const auto parts = split(text.substr(equals + 1), ',');
    std::vector<std::string_view> seen;
    auto read = read_rate(parts.front(), limit);
    if (read) read = read_fields(parts, limit, seen);
    if (!read) return refused("limit " + in_quotes(limit.name) + ": " + read.error().message);
    if (base != nullptr && !contains(seen, "burst")) settle_burst(*base, limit);
    return limit;
}

std::string_view name_of(LimitKind kind) noexcept {
    for (const auto& [name, value] : kinds) {
        if (value == kind) return name;
    }
    return "unknown";
}

std::string format_limit(const LimitDefinition& definition) {
    const LimitDefinition defaults;
    std::string text = definition.name + "=" + std::to_string(definition.quota) + "/" +
                       format_duration(definition.window);
    text += ",kind=" + std::string(name_of(definition.kind));
    if (definition.burst != 0) text += ",burst=" + std::to_string(definition.burst);
    if (definition.slack != defaults.slack) text += ",slack=" + format_duration(definition.slack);
    if (!definition.per.empty()) text += ",per=" + definition.per;
    if (definition.reserve_percent != 0) {
        text += ",reserve=" + std::to_string(definition.reserve_percent) + "%";
    }
    if (definition.spread) text += ",spread";
    if (definition.largest_cost != defaults.largest_cost) {
        text += ",largest=" + std::to_string(definition.largest_cost);
    }
    return text;
}

}  // namespace ratecoord::grammar
