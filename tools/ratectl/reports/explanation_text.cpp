// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/duration.hpp"
#include "ratectl/failure.hpp"
#include "ratectl/reports/explanation.hpp"

namespace ratectl {

namespace {

using ratecoord::Action;
using ratecoord::Scope;
using ratecoord::WaitSource;

std::string_view meaning_of(const ratecoord::venue::Reading& reading) {
    switch (reading.action) {
        case Action::ok:
            return "it was done";
        case Action::retry_later:
            return "this request may be sent again later; nobody else waits";
        case Action::pause:
            return reading.scope == Scope::key ? "everybody with that key stops"
                                               : "every process of this host stops";
        case Action::ban:
            return "every process of this host stops, then one probe goes alone";
        case Action::unknown_outcome:
            return "it may have been done: look it up, never send it again blindly";
        case Action::rejected:
            return "understood and refused, not for rate: do not repeat it";
        case Action::auth:
            return "wrong key or signature: never repeat it";
        case Action::overload:
            return "the venue is busy; this is not your count";
    }
    return "";
}

Tint tint_of(Action action) {
    switch (action) {
        case Action::ok:
            return Tint::good;
        case Action::ban:
        case Action::auth:
            return Tint::alarm;
        default:
            return Tint::warning;
    }
}

std::string scope_text(const ratecoord::venue::Reading& reading) {
    if (reading.per.empty()) return ratecoord::name_of(reading.scope);
    return fmt::format("key of {}", printable(reading.per));
}

std::string wait_line(const Explanation& explanation) {
    const auto& reading = explanation.reading;
    if (reading.wait_ns == 0) return "-";
    auto text =
        fmt::format("{}, until {}",
                    ratecoord::grammar::format_duration(std::chrono::nanoseconds(reading.wait_ns)),
                    ratecoord::grammar::format_instant_ms(explanation.until));
    if (reading.was_clamped) {
        text += fmt::format("; cut from {}", ratecoord::grammar::format_duration(
                                                 std::chrono::nanoseconds(reading.named_ns)));
    }
    if (reading.is_unusual) text += "; longer than a window and a day";
    return text;
}

std::string source_line(const Explanation& explanation) {
    const auto& reading = explanation.reading;
    if (reading.source == WaitSource::none) return "-";
    if (reading.source == WaitSource::fallback) {
        return "fallback: the reply names no wait that can be used";
    }
    auto text = explanation.wait_rule.empty() ? std::string("the least its signal asks for")
                                              : explanation.wait_rule;
    if (!explanation.wait_place.empty()) text += ", " + explanation.wait_place;
    return text;
}

std::string booked_text(const ExplainedCharge& charge) {
    return charge.booked ? fmt::format("{}", *charge.booked) : "what was booked";
}

void add_lists(std::string& text, const Explanation& explanation) {
    for (const auto& count : explanation.counts) {
        text += fmt::format("count: {} {} {} ({}, {})\n", printable(count.limit), count.units,
                            count.is_remaining ? "left" : "used", count.stands_in, count.place);
    }
    if (explanation.counts.empty()) text += "count: -\n";
    if (explanation.reading.counts.dropped > 0) {
        text += fmt::format("count dropped: {} of a window that cannot be told\n",
                            explanation.reading.counts.dropped);
    }
    for (const auto& charge : explanation.charges) {
        text += fmt::format("refund: {} cost {} instead of {}, where the limit allows it\n",
                            printable(charge.limit), charge.charged, booked_text(charge));
    }
    if (explanation.charges.empty()) text += "refund: -\n";
}

}  // namespace

std::string render_text(const Explanation& explanation, const Console& console) {
    const auto& reading = explanation.reading;
    auto text =
        fmt::format("action: {}, {}\n",
                    console.tinted(ratecoord::name_of(reading.action), tint_of(reading.action)),
                    meaning_of(reading));
    text += fmt::format("scope: {}\n", scope_text(reading));
    text += fmt::format("wait: {}\n", wait_line(explanation));
    text += fmt::format("wait from: {}\n", source_line(explanation));
    if (reading.partly_done) text += "partly done: yes, read the reply for what was\n";
    if (reading.is_duplicate) text += "duplicate: yes, an order with that id exists: look it up\n";
    add_lists(text, explanation);
    text += fmt::format("decided by: {}{}\n", explanation.decided_by,
                        explanation.place.empty() ? "" : ", " + explanation.place);
    if (!explanation.when.empty()) text += fmt::format("  when: {}\n", explanation.when);
    if (!explanation.note.empty()) text += fmt::format("  note: {}\n", printable(explanation.note));
    return text;
}

Json render_json(const Explanation& explanation) {
    const auto& reading = explanation.reading;
    Json document = new_document();
    document["profile"] = explanation.profile;
    document["operation"] = text_value(explanation.operation);
    document["status"] = explanation.status;
    document["action"] = ratecoord::name_of(reading.action);
    document["scope"] = ratecoord::name_of(reading.scope);
    document["per"] = text_value(reading.per);
    const bool waits = reading.wait_ns > 0;
    document["wait_seconds"] = waits ? seconds_value(reading.wait_ns) : Json();
    document["until_at"] =
        waits ? Json(ratecoord::grammar::format_instant_ms(explanation.until)) : Json();
    document["wait_source"] = ratecoord::name_of(reading.source);
    document["wait_rule"] = text_value(explanation.wait_rule);
    document["wait_place"] = text_value(explanation.wait_place);
    document["named_seconds"] = waits ? seconds_value(reading.named_ns) : Json();
    document["clamped"] = reading.was_clamped;
    document["unusual"] = reading.is_unusual;
    document["partly_done"] = reading.partly_done;
    document["duplicate"] = reading.is_duplicate;
    document["counted"] = reading.is_charged;
    document["counts"] = Json::array();
    for (const auto& count : explanation.counts) {
        Json value;
        value["limit"] = count.limit;
        value["means"] = count.is_remaining ? "remaining" : "used";
        value["units"] = count.units;
        value["stands_in"] = count.stands_in;
        value["place"] = count.place;
        document["counts"].push_back(std::move(value));
    }
    document["counts_dropped"] = reading.counts.dropped;
    document["refunds"] = Json::array();
    for (const auto& charge : explanation.charges) {
        Json value;
        value["limit"] = charge.limit;
        value["booked"] = charge.booked ? Json(*charge.booked) : Json();
        value["charged"] = charge.charged;
        document["refunds"].push_back(std::move(value));
    }
    document["decided_by"] = explanation.decided_by;
    document["signal"] = text_value(explanation.signal);
    document["when"] = text_value(explanation.when);
    document["place"] = text_value(explanation.place);
    document["note"] = text_value(explanation.note);
    return document;
}

}  // namespace ratectl
