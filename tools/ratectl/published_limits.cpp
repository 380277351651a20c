// SPDX-License-Identifier: Apache-2.0
#include "ratectl/published_limits.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/definition.hpp"
#include "grammar/duration.hpp"
#include "grammar/limit_text.hpp"
#include "grammar/number.hpp"
#include "ratectl/failure.hpp"

namespace ratectl {

namespace {

using ratecoord::LimitDefinition;
using ratecoord::LimitKind;

struct Type {
    std::string_view name;
    std::string_view limit;
    bool names_its_window;  // several windows at once are usual
    bool is_told;           // replies carry its count
    std::string_view per;
};
constexpr std::array types{Type{"REQUEST_WEIGHT", "weight", false, true, ""},
                           Type{"RAW_REQUESTS", "raw", false, false, ""},
                           Type{"ORDERS", "orders", true, true, "account"},
                           Type{"CONNECTIONS", "connections", false, false, ""}};

struct Interval {
    std::string_view name;
    std::string_view letter;
    std::chrono::nanoseconds length;
};
constexpr std::array intervals{
    Interval{"SECOND", "s", std::chrono::seconds(1)},
    Interval{"MINUTE", "m", std::chrono::minutes(1)},
    Interval{"HOUR", "h", std::chrono::hours(1)},
    Interval{"DAY", "d", std::chrono::hours(24)},
};

template <typename Table>
auto find(const Table& table, const std::string& name) {
    return std::find_if(table.begin(), table.end(),
                        [&](const auto& entry) { return entry.name == name; });
}

std::string text_of(const Json& entry, const char* name) {
    const auto found = entry.find(name);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::uint64_t> count_of(const Json& entry, const char* name) {
    const auto found = entry.find(name);
    if (found == entry.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::uint64_t>();
}

// Half a second where the window bears it.
std::chrono::nanoseconds slack_of(std::chrono::nanoseconds window) {
    return window >= std::chrono::minutes(1) ? std::chrono::milliseconds(500)
                                             : std::chrono::milliseconds(250);
}

// No interval is longer than a day, so no product wraps; the core refuses what is above a year.
constexpr std::uint64_t intervals_most = 366 * 24 * 3600;
constexpr std::size_t notes_most = 20;
constexpr int levels_most = 8;  // a limit lies four deep; what is deeper is read, but not kept
constexpr std::chrono::minutes long_window{10};

// The limit, or why the entry is none.
std::variant<PublishedLimit, std::string> read_entry(const Json& entry) {
    if (!entry.is_object()) return "it is no object";
    PublishedLimit published;
    published.type = text_of(entry, "rateLimitType");
    const auto type = find(types, published.type);
    if (type == types.end()) return "its type is not known";
    const auto interval = find(intervals, text_of(entry, "interval"));
    if (interval == intervals.end()) return "its interval is not known";
    const auto number = count_of(entry, "intervalNum");
    const auto limit = count_of(entry, "limit");
    if (!number || *number == 0 || !limit) return "intervalNum or limit is not a count";
    if (*number > intervals_most) return "its window is longer than a year";

    auto& definition = published.definition;
    definition.name = type->limit;
    if (type->names_its_window) {
        definition.name += fmt::format("-{}{}", *number, interval->letter);
    }
    definition.kind = LimitKind::fixed;
    definition.quota = *limit;
    definition.window = interval->length * static_cast<std::int64_t>(*number);
    definition.slack = slack_of(definition.window);
    definition.per = type->per;
    definition.spread = type->is_told;
    // Of a long window only the second half is paced: its bursts are of the shorter ones.
    if (definition.spread && definition.window > long_window) {
        definition.burst = std::max<std::uint64_t>(1, definition.quota / 2);
    }
    const auto record = ratecoord::core::to_record(definition);
    if (const auto* error = std::get_if<ratecoord::core::DefinitionError>(&record)) {
        return error->message;
    }
    return published;
}

bool is_there(const PublishedLimit& published, const std::vector<PublishedLimit>& taken) {
    return std::any_of(taken.begin(), taken.end(), [&](const auto& other) {
        return other.type == published.type &&
               other.definition.window == published.definition.window;
    });
}

// Two windows of one type are two limits; the second is named after its window.
void give_free_name(PublishedLimit& published, const std::vector<PublishedLimit>& taken) {
    auto& name = published.definition.name;
    const bool is_taken = std::any_of(taken.begin(), taken.end(), [&](const auto& other) {
        return other.definition.name == name;
    });
    if (is_taken) name += "-" + ratecoord::grammar::format_duration(published.definition.window);
}

// What the entry says, as far as it is known; an entry may be as deep and long as it likes.
std::string summary_of(const Json& entry) {
    if (!entry.is_object()) return "an entry";
    const auto number = [&](const char* name) {
        const auto count = count_of(entry, name);
        return count ? fmt::format("{}", *count) : std::string("-");
    };
    return fmt::format("{} per {} {} of {}", number("limit"), number("intervalNum"),
                       ratecoord::grammar::in_quotes(text_of(entry, "interval")),
                       ratecoord::grammar::in_quotes(text_of(entry, "rateLimitType")));
}

const Json* find_rate_limits(const Json& document) {
    if (document.is_array()) return &document;
    if (!document.is_object()) return nullptr;
    const auto result = document.find("result");
    const auto& holder =
        result != document.end() && result->is_object() && result->contains("rateLimits")
            ? *result
            : document;
    const auto found = holder.find("rateLimits");
    return found != holder.end() && found->is_array() ? &*found : nullptr;
}

std::string limit_toml(const PublishedLimit& published) {
    const auto& definition = published.definition;
    auto text = fmt::format(
        "\n[limits.{}]\nkind = \"fixed\"\nquota = {}\nwindow = \"{}\"\nslack = \"{}\"\n",
        definition.name, definition.quota, ratecoord::grammar::format_duration(definition.window),
        ratecoord::grammar::format_duration(definition.slack));
    if (definition.burst > 0) text += fmt::format("burst = {}\n", definition.burst);
    if (definition.spread) text += "spread = true\n";
    if (!definition.per.empty()) text += fmt::format("per = \"{}\"\n", definition.per);
    return text + fmt::format("note = \"{} of exchangeInfo\"\n", published.type);
}

}  // namespace

tl::expected<PublishedLimits, std::string> read_exchange_info(const std::string& text) {
    const auto shallow = [](int depth, Json::parse_event_t, const Json&) {
        return depth <= levels_most;
    };
    const auto document = Json::parse(text, shallow, false);
    if (document.is_discarded()) return tl::unexpected(std::string("it is not JSON"));
    const auto* entries = find_rate_limits(document);
    if (entries == nullptr) {
        return tl::unexpected(
            std::string("it has no array rateLimits; it is not the reply to "
                        "exchangeInfo"));
    }
    PublishedLimits published;
    for (const auto& entry : *entries) {
        auto read = read_entry(entry);
        auto* limit = std::get_if<PublishedLimit>(&read);
        if (limit != nullptr && !is_there(*limit, published.limits)) {
            give_free_name(*limit, published.limits);
            published.limits.push_back(std::move(*limit));
            continue;
        }
        ++published.note_count;
        if (published.notes.size() == notes_most) continue;
        const auto why = limit == nullptr ? std::get<std::string>(read)
                                          : std::string("an entry before it has that window");
        published.notes.push_back(fmt::format("{}: {}", summary_of(entry), why));
    }
    return published;
}

std::string render_text(const PublishedLimits& published) {
    std::string text =
        "# Limits of exchangeInfo, read by 'ratectl profile import'. To use them, put them in a "
        "profile of your\n# own that extends the venue's. That windows are aligned is documented "
        "for "
        "Spot only: elsewhere write\n# kind = \"rolling\" and drop spread.\n";
    for (const auto& limit : published.limits) text += limit_toml(limit);
    if (!published.notes.empty()) text += "\n# Not limits here:\n";
    for (const auto& note : published.notes) text += fmt::format("# {}\n", note);
    if (published.note_count > published.notes.size()) {
        text += fmt::format("# ... and {} more\n", published.note_count - published.notes.size());
    }
    return text;
}

Json render_json(const PublishedLimits& published) {
    Json document = new_document();
    document["limits"] = Json::array();
    for (const auto& limit : published.limits) {
        Json value;
        value["limit"] = limit.definition.name;
        value["type"] = limit.type;
        value["definition"] = ratecoord::grammar::format_limit(limit.definition);
        document["limits"].push_back(std::move(value));
    }
    document["notes"] = published.notes;
    document["notes_total"] = published.note_count;
    return document;
}

}  // namespace ratectl
