// SPDX-License-Identifier: Apache-2.0
#include "herd/option_values.hpp"

#include <algorithm>
#include <string_view>

#include "grammar/cost_text.hpp"
#include "grammar/duration.hpp"
#include "grammar/limit_text.hpp"
#include "grammar/number.hpp"
#include "herd/options.hpp"

namespace herd {

namespace grammar = ratecoord::grammar;

namespace {

template <typename Value>
Value accepted(const std::string& option, const std::string& text,
               ratecoord::Result<Value> result) {
    if (!result) refuse(option, text, result.error().message);
    return *std::move(result);
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (;;) {
        const auto at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

// What is printed into log lines and query strings as it is.
bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.:@").find(c) != std::string_view::npos;
}

bool is_plain_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
}

}  // namespace

void refuse(const std::string& option, const std::string& text, const std::string& why) {
    throw UsageError("cannot use " + option + " '" + text + "': " + why,
                     "see 'herd --help' for how " + option + " is written");
}

std::uint64_t read_count(const std::string& option, const std::string& text, std::uint64_t least,
                         std::uint64_t most) {
    const auto value = accepted(option, text, grammar::parse_number(option, text));
    if (value < least || value > most) {
        refuse(option, text,
               "it must be between " + std::to_string(least) + " and " + std::to_string(most));
    }
    return value;
}

std::int64_t read_span_ns(const std::string& option, const std::string& text) {
    const auto span = accepted(option, text, grammar::parse_duration(option, text));
    if (span.count() <= 0) refuse(option, text, "it must be longer than 0");
    if (span > std::chrono::days{366}) refuse(option, text, "it must be at most 366d");
    return span.count();
}

std::int64_t read_seconds_ns(const std::string& option, const std::string& text) {
    const bool bare = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
    return read_span_ns(option, bare ? text + 's' : text);
}

ratecoord::LimitDefinition read_limit(const std::string& text) {
    return accepted("--limit", text, grammar::parse_limit(text));
}

std::vector<CostPart> read_costs(const std::string& option, const std::vector<std::string>& texts) {
    std::vector<CostPart> cost;
    for (const auto& item :
         accepted(option, texts.empty() ? "" : texts.front(), grammar::parse_cost(texts, {}))) {
        if (!is_plain_word(item.limit)) refuse(option, item.limit, "it is no name of a limit");
        cost.push_back({item.limit, item.units});
    }
    return cost;
}

std::vector<RequestKind> read_mix(const std::string& text) {
    std::vector<RequestKind> kinds;
    for (const std::string& item : split(text, ',')) {
        const auto colon = item.rfind(':');
        if (colon == std::string::npos) refuse("--mix", item, "it has no ':SHARE' at its end");
        RequestKind kind;
        kind.cost = read_costs("--mix", split(std::string_view(item).substr(0, colon), '+'));
        kind.share = read_count("--mix", item.substr(colon + 1), 1, 1'000'000);
        kinds.push_back(std::move(kind));
    }
    if (kinds.size() > 1'000) refuse("--mix", text.substr(0, 40), "it has more than 1000 items");
    return kinds;
}

KeyRing read_keys(const std::string& text) {
    const auto written = accepted("--keys", text, grammar::parse_assignment("--keys", text));
    KeyRing ring{written.name, split(written.value, ',')};
    for (const std::string& key : ring.keys) {
        if (!is_plain_word(key)) {
            refuse("--keys", text, "the key '" + key + "' must be of letters, digits and -_.:@");
        }
    }
    return ring;
}

PrivateBucketRule read_private_bucket(const std::string& text) {
    // The same text as a limit of kind bucket, with the name left out.
    const auto limit =
        accepted("--private-bucket", text, grammar::parse_limit("own=" + text + ",kind=bucket"));
    if (limit.quota == 0) refuse("--private-bucket", text, "units '0' must be at least 1");
    if (limit.window.count() <= 0) refuse("--private-bucket", text, "the window must be above 0");
    return {limit.quota, limit.window.count(), limit.burst == 0 ? limit.quota : limit.burst};
}

std::string read_header(const std::string& option, const std::string& text) {
    const auto fits = [](char c) {
        return is_plain(c) && std::string_view(".:@").find(c) == std::string_view::npos;
    };
    if (!std::all_of(text.begin(), text.end(), fits)) {
        refuse(option, text, "a header's name is of letters, digits, '-' and '_'");
    }
    return text;
}

std::string read_venue(const std::string& text) {
    const bool http = text.starts_with("http://") || text.starts_with("https://");
    const auto host = text.find("//") + 2;
    if (!http || host >= text.size() || text[host] == '/') {
        refuse("--venue", text, "it is not written http://HOST[:PORT]/PATH");
    }
    if (text.find_first_of(" \t\r\n") != std::string::npos) {
        refuse("--venue", text, "it has a blank in it");
    }
    return text;
}

}  // namespace herd
