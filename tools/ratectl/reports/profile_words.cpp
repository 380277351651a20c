// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/profile_words.hpp"

#include <fmt/format.h>

#include "grammar/duration.hpp"
#include "ratectl/failure.hpp"

namespace ratectl {

namespace {

using ratecoord::WaitSource;
using ratecoord::venue::CostRule;
using ratecoord::venue::JsonPointer;
using ratecoord::venue::Literal;
using ratecoord::venue::NumberSource;
using ratecoord::venue::Profile;
using ratecoord::venue::Signal;
using ratecoord::venue::WaitRule;

std::string pointer_text(const JsonPointer& pointer) {
    return pointer.text().empty() ? "the whole body" : "body " + printable(pointer.text());
}

// A member's name, kept as the pointer to it.
std::string member_text(const JsonPointer& pointer) {
    return printable(pointer.text().empty() ? pointer.text() : pointer.text().substr(1));
}

std::string literals_text(const std::vector<Literal>& literals) {
    std::string text;
    for (const auto& literal : literals) {
        text += (text.empty() ? "" : " or ") + printable(literal.text);
    }
    return text;
}

std::string statuses_text(const Signal& signal) {
    std::string text;
    for (const auto& range : signal.statuses) {
        text += text.empty() ? "status " : " or ";
        text += range.first == range.last ? fmt::format("{}", range.first)
                                          : fmt::format("{}xx", range.first / 100);
    }
    return text;
}

std::string linear_text(const CostRule& rule) {
    std::string text = rule.base > 0 ? fmt::format("{} + ", rule.base) : std::string();
    if (rule.each != 1) text += fmt::format("{} x ", rule.each);
    text += printable(rule.parameter);
    if (rule.divide > 1) {
        text += fmt::format("/{} rounded {}", rule.divide, rule.rounds_down ? "down" : "up");
    }
    if (rule.most) text += fmt::format(", at most {}", *rule.most);
    return text;
}

std::string source_text(const NumberSource& source) {
    switch (source.kind) {
        case NumberSource::Kind::header:
            return "header " + printable(source.header);
        case NumberSource::Kind::body:
            return pointer_text(source.pointer);
        case NumberSource::Kind::none:
            break;
    }
    return {};
}

}  // namespace

std::string cost_text(const CostRule& rule) {
    switch (rule.kind) {
        case CostRule::Kind::fixed:
            return fmt::format("{}", rule.units);
        case CostRule::Kind::steps:
            return fmt::format("{} to {} by {}", rule.steps.front().units, rule.steps.back().units,
                               printable(rule.parameter));
        case CostRule::Kind::linear:
            return linear_text(rule);
        case CostRule::Kind::present:
            return fmt::format("{} with {}, else {}", rule.units, printable(rule.parameter),
                               rule.cost_if_absent.value_or(0));
    }
    return {};
}

std::string conditions_text(const Profile& profile, const Signal& signal) {
    std::vector<std::string> parts;
    if (signal.frame) parts.push_back(*signal.frame ? "a WebSocket frame" : "no WebSocket frame");
    if (!signal.statuses.empty()) parts.push_back(statuses_text(signal));
    if (signal.header_text) {
        parts.push_back(fmt::format("header {} like '{}'", printable(signal.header),
                                    printable(signal.header_text->text())));
    } else if (!signal.header.empty()) {
        parts.push_back("header " + printable(signal.header));
    }
    if (!signal.header_absent.empty()) {
        parts.push_back("no header " + printable(signal.header_absent));
    }
    if (signal.body) {
        parts.push_back(pointer_text(*signal.body) +
                        (signal.equals.empty() ? "" : " = " + literals_text(signal.equals)));
    }
    if (signal.text) {
        parts.push_back(fmt::format("{} like '{}'",
                                    signal.text_in ? pointer_text(*signal.text_in)
                                                   : std::string("the beginning of the body"),
                                    printable(signal.text->text())));
    }
    if (!signal.operations.empty()) {
        std::string names;
        for (const auto index : signal.operations) {
            names += (names.empty() ? "" : " or ") + printable(profile.operations[index].name);
        }
        parts.push_back("operation " + names);
    }
    std::string text;
    for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string wait_text(const Profile& profile, const WaitRule& rule) {
    const auto unit = fmt::format(" ({})", unit_name(rule.unit));
    switch (rule.source) {
        case WaitSource::retry_after:
            return "Retry-After";
        case WaitSource::header:
            return "header " + printable(rule.header) + unit;
        case WaitSource::body:
            return pointer_text(rule.pointer) + unit;
        case WaitSource::text:
            return fmt::format("the number after '{}'{}{}", printable(rule.after),
                               rule.has_pointer ? " in " + pointer_text(rule.pointer) : "", unit);
        case WaitSource::fixed:
            if (rule.window_of != ratecoord::venue::no_index) {
                return "the next window of " +
                       printable(profile.limits[rule.window_of].definition.name);
            }
            return ratecoord::grammar::format_duration(rule.fixed);
        case WaitSource::none:
        case WaitSource::fallback:
            break;
    }
    return "-";
}

std::string count_text(const ratecoord::venue::Feedback& feedback) {
    if (!feedback.array) {
        const auto minus = source_text(feedback.minus);
        return source_text(feedback.count) + (minus.empty() ? "" : " less " + minus);
    }
    std::string where;
    for (const auto& match : feedback.where) {
        where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", member_text(match.key),
                             printable(match.value.text));
    }
    return fmt::format("{} of {} where {}", member_text(feedback.field),
                       pointer_text(*feedback.array), where);
}

std::string place_text(const Profile& profile, ratecoord::venue::Place place) {
    const auto& file = place.file < profile.files.size() ? profile.files[place.file] : profile.file;
    return place.line == 0 ? printable(file) : fmt::format("{}:{}", printable(file), place.line);
}

std::string_view unit_name(ratecoord::venue::Unit unit) noexcept {
    switch (unit) {
        case ratecoord::venue::Unit::epoch_s:
            return "epoch-s";
        case ratecoord::venue::Unit::epoch_ms:
            return "epoch-ms";
        case ratecoord::venue::Unit::epoch_us:
            return "epoch-us";
        case ratecoord::venue::Unit::countdown_s:
            return "countdown-s";
        case ratecoord::venue::Unit::countdown_ms:
            return "countdown-ms";
    }
    return "";
}

std::string_view name_of(ratecoord::Intent intent) noexcept {
    switch (intent) {
        case ratecoord::Intent::read:
            return "read";
        case ratecoord::Intent::open:
            return "open";
        case ratecoord::Intent::close:
            return "close";
    }
    return "";
}

std::string_view name_of(ratecoord::Lane lane) noexcept {
    return lane == ratecoord::Lane::critical ? "critical" : "normal";
}

}  // namespace ratectl
