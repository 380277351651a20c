// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/rule.hpp"
#include "grammar/duration.hpp"
#include "grammar/limit_text.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/reports/profile_report.hpp"
#include "ratectl/reports/profile_words.hpp"
#include "ratectl/table.hpp"

namespace ratectl {

namespace {

using ratecoord::grammar::format_duration;
using ratecoord::venue::Operation;
using ratecoord::venue::Provenance;
using Model = ratecoord::venue::Profile;

std::string_view meaning_of(char confidence) {
    switch (confidence) {
        case 'A':
            return "A, the vendor's own text";
        case 'B':
            return "B, a third party's";
        default:
            return "C, weak or inferred";
    }
}

std::string order_ids(const ratecoord::OrderRules& orders) {
    std::string text;
    if (orders.id_longest > 0) text += fmt::format("at most {} characters, ", orders.id_longest);
    switch (orders.uniqueness) {
        case ratecoord::IdUniqueness::open:
            return text + "unique among open orders";
        case ratecoord::IdUniqueness::always:
            return text + "unique for good";
        case ratecoord::IdUniqueness::never:
            return text + "not unique";
        case ratecoord::IdUniqueness::unknown:
            break;
    }
    return text + "uniqueness not known";
}

std::string head(const ratecoord::Profile& profile) {
    const auto& model = profile.model();
    const auto& orders = model.orders;
    std::string text = fmt::format("profile: {}\n", printable(model.name));
    const auto add = [&](std::string_view label, const std::string& value) {
        text += fmt::format("  {}: {}\n", label, value);
    };
    add("title", printable(model.title));
    add("file", printable(model.file));
    if (model.budget != model.name) add("draws on the budget", printable(model.budget));
    add("as of", model.provenance.as_of);
    add("source", printable(model.provenance.source));
    add("confidence", std::string(meaning_of(model.provenance.confidence)));
    add("order ids", order_ids(orders));
    add("an order is settled after", format_duration(orders.settle));
    add("a placed order is visible within", format_duration(orders.visible_within));
    add("a repeated id is the same order for", orders.resend_within.count() == 0
                                                   ? "-, not relied on"
                                                   : format_duration(orders.resend_within));
    if (model.has_firewall_403) add("403 without a signal", "the firewall: pause of the address");
    return text;
}

// What differs from the file's own.
std::string provenance(const Provenance& own, const Provenance& file) {
    std::string text;
    if (!own.note.empty()) text += fmt::format("    note: {}\n", printable(own.note));
    if (own.as_of != file.as_of) text += fmt::format("    as of: {}\n", own.as_of);
    if (own.source != file.source) text += fmt::format("    source: {}\n", printable(own.source));
    if (own.confidence != file.confidence) {
        text += fmt::format("    confidence: {}\n", meaning_of(own.confidence));
    }
    return text;
}

std::string sustained(const ratecoord::LimitDefinition& definition) {
    const auto record = ratecoord::core::to_record(definition);
    const auto* kept = std::get_if<ratecoord::core::LimitRecord>(&record);
    if (kept == nullptr) return "-";
    return format_rate(
        ratecoord::core::sustained_per_second_milli(ratecoord::core::compile(*kept)));
}

std::string limits(const Model& model) {
    std::string text;
    for (const auto& limit : model.limits) {
        text += fmt::format("  limit: {}\n    sustained rate: {}\n",
                            ratecoord::grammar::format_limit(limit.definition),
                            sustained(limit.definition));
        text += provenance(limit.provenance, model.provenance);
    }
    return text;
}

std::string charge_text(const Model& model, const Operation& operation) {
    std::string text;
    const auto add = [&](const auto& charges, std::string_view when) {
        for (const auto& charge : charges) {
            text +=
                fmt::format("; {} {} {}", when,
                            printable(model.limits[charge.limit].definition.name), charge.units);
        }
    };
    add(operation.charge_ok, "when done");
    add(operation.charge_failed, "when refused");
    return text;
}

std::string draws_text(const Model& model, const Operation& operation) {
    std::string text;
    for (const auto& draw : operation.draws) {
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : "; ",
                        printable(model.limits[draw.limit].definition.name), cost_text(draw.rule));
    }
    return text + charge_text(model, operation);
}

std::string operations(const Model& model, const Console& console) {
    Table table({{"OPERATION"}, {"INTENT"}, {"LANE"}, {"AGAIN"}, {"COST"}});
    for (const auto& operation : model.operations) {
        table.add({{printable(operation.name)},
                   {std::string(name_of(operation.intent))},
                   {std::string(name_of(operation.lane))},
                   {operation.is_idempotent ? "yes" : "no"},
                   {draws_text(model, operation)}});
    }
    return table.empty() ? "" : "\n" + table.text(console);
}

std::string feedback(const Model& model, const Console& console) {
    Table table({{"COUNT OF"}, {"MEANS"}, {"STANDS IN"}});
    for (const auto& entry : model.feedback) {
        table.add({{printable(model.limits[entry.limit].definition.name)},
                   {entry.is_remaining ? "remaining" : "used"},
                   {count_text(entry)}});
    }
    return table.empty() ? "" : "\n" + table.text(console);
}

std::string signals(const Model& model, const Console& console) {
    Table table({{"SIGNAL"}, {"ACTION"}, {"SCOPE"}, {"LINE", Align::right}, {"WHEN"}});
    for (const auto& signal : model.signals) {
        table.add({{printable(signal.name)},
                   {ratecoord::name_of(signal.action)},
                   {signal.per.empty() ? ratecoord::name_of(signal.scope)
                                       : fmt::format("key of {}", printable(signal.per))},
                   {fmt::format("{}", signal.place.line)},
                   {conditions_text(model, signal)}});
    }
    return table.empty() ? "" : "\n" + table.text(console);
}

}  // namespace

std::string render_text(const ratecoord::Profile& profile, const Console& console) {
    const auto& model = profile.model();
    return head(profile) + "\n" + limits(model) + operations(model, console) +
           feedback(model, console) + signals(model, console);
}

}  // namespace ratectl
