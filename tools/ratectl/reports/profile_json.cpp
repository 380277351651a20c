// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "grammar/limit_text.hpp"
#include "ratectl/reports/profile_report.hpp"
#include "ratectl/reports/profile_words.hpp"

namespace ratectl {

namespace {

using ratecoord::venue::Provenance;
using Model = ratecoord::venue::Profile;

void add_provenance(Json& value, const Provenance& provenance) {
    value["as_of"] = provenance.as_of;
    value["source"] = provenance.source;
    value["confidence"] = std::string(1, provenance.confidence);
    value["note"] = text_value(provenance.note);
}

Json orders_value(const ratecoord::OrderRules& orders) {
    Json value;
    value["settle_seconds"] = seconds_value(orders.settle.count());
    value["visible_within_seconds"] = seconds_value(orders.visible_within.count());
    value["resend_within_seconds"] = seconds_value(orders.resend_within.count());
    value["id_longest"] = orders.id_longest == 0 ? Json() : Json(orders.id_longest);
    value["id_characters"] = text_value(orders.id_characters);
    value["id_unique"] = ratecoord::name_of(orders.uniqueness);
    return value;
}

Json limits_value(const Model& model) {
    Json list = Json::array();
    for (const auto& limit : model.limits) {
        Json value;
        value["limit"] = limit.definition.name;
        value["definition"] = ratecoord::grammar::format_limit(limit.definition);
        add_provenance(value, limit.provenance);
        list.push_back(std::move(value));
    }
    return list;
}

Json charges_value(const Model& model, const std::vector<ratecoord::venue::Charge>& charges) {
    Json value = Json::object();
    for (const auto& charge : charges) {
        value[model.limits[charge.limit].definition.name] = charge.units;
    }
    return value;
}

Json operations_value(const Model& model) {
    Json list = Json::array();
    for (const auto& operation : model.operations) {
        Json value;
        value["operation"] = operation.name;
        value["intent"] = name_of(operation.intent);
        value["lane"] = name_of(operation.lane);
        value["idempotent"] = operation.is_idempotent;
        value["costs"] = Json::array();
        for (const auto& draw : operation.draws) {
            Json cost;
            cost["limit"] = model.limits[draw.limit].definition.name;
            cost["units"] = cost_text(draw.rule);
            cost["parameter"] = text_value(draw.rule.parameter);
            value["costs"].push_back(std::move(cost));
        }
        value["charge_ok"] = charges_value(model, operation.charge_ok);
        value["charge_failed"] = charges_value(model, operation.charge_failed);
        value["note"] = text_value(operation.provenance.note);
        list.push_back(std::move(value));
    }
    return list;
}

Json feedback_value(const Model& model) {
    Json list = Json::array();
    for (const auto& feedback : model.feedback) {
        Json value;
        value["limit"] = model.limits[feedback.limit].definition.name;
        value["means"] = feedback.is_remaining ? "remaining" : "used";
        value["stands_in"] = count_text(feedback);
        value["line"] = feedback.place.line;
        list.push_back(std::move(value));
    }
    return list;
}

Json signals_value(const Model& model) {
    Json list = Json::array();
    for (const auto& signal : model.signals) {
        Json value;
        value["signal"] = signal.name;
        value["line"] = signal.place.line;
        value["when"] = conditions_text(model, signal);
        value["action"] = ratecoord::name_of(signal.action);
        value["scope"] = ratecoord::name_of(signal.scope);
        value["per"] = text_value(signal.per);
        value["waits"] = Json::array();
        for (const auto& rule : signal.waits) value["waits"].push_back(wait_text(model, rule));
        value["note"] = text_value(signal.provenance.note);
        list.push_back(std::move(value));
    }
    return list;
}

}  // namespace

Json render_json(const ratecoord::Profile& profile) {
    const auto& model = profile.model();
    Json document = new_document();
    document["profile"] = model.name;
    document["title"] = model.title;
    document["file"] = model.file;
    document["budget"] = model.budget;
    add_provenance(document, model.provenance);
    document["firewall_403"] = model.has_firewall_403;
    document["orders"] = orders_value(model.orders);
    document["limits"] = limits_value(model);
    document["operations"] = operations_value(model);
    document["feedback"] = feedback_value(model);
    document["signals"] = signals_value(model);
    return document;
}

}  // namespace ratectl
