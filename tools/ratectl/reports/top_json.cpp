// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "ratectl/reports/event_json.hpp"
#include "ratectl/reports/top_report.hpp"

namespace ratectl {

namespace {

Json rate_value(const Rate& rate) {
    return rate ? Json(static_cast<double>(*rate) / 1000) : Json();
}

Json row_value(const TopRow& row) {
    const bool known = row.most > 0;
    Json value;
    value["limit"] = row.now.limit;
    value["per"] = text_value(row.now.per);
    value["key"] = text_value(row.now.key);
    value["state"] = ratecoord::name_of(row.now.state);
    value["used"] = known ? Json(row.used) : Json();
    value["most"] = known ? Json(row.most) : Json();
    value["available"] = row.now.available ? Json(*row.now.available) : Json();
    value["units_per_second"] = rate_value(row.units);
    value["rate_per_second"] = static_cast<double>(row.now.rate_milli) / 1000;
    value["next_in_seconds"] = row.now.next_in_ns ? seconds_value(*row.now.next_in_ns) : Json();
    value["waiting"] = row.now.waiting;
    value["outside_use"] = row.outside;
    return value;
}

Json client_value(const TopBudget& budget, const TopClient& client) {
    Json value;
    value["label"] = client.label;
    value["pid"] = client.pid;
    value["alive"] = client.alive;
    value["permits_per_second"] = rate_value(client.permits);
    value["units_per_second"] = Json::object();
    for (std::size_t i = 0; i < client.units.size(); ++i) {
        value["units_per_second"][budget.limits[i]] = rate_value(client.units[i]);
    }
    value["waiting"] = client.waiting;
    value["refused_total"] = client.refused;
    value["age_seconds"] = seconds_value(client.age_ns);
    return value;
}

Json budget_value(const WallClock& clock, const TopBudget& budget) {
    const bool readable = budget.problem.empty();
    Json value;
    value["budget"] = budget.name;
    value["state"] = readable ? Json(ratecoord::name_of(budget.state)) : Json();
    value["remaining_seconds"] = budget.stop_left_ns ? seconds_value(*budget.stop_left_ns) : Json();
    value["retry_units_left"] = readable ? Json(budget.retry_units) : Json();
    value["problem"] = text_value(budget.problem);
    value["limits"] = Json::array();
    for (const auto& row : budget.rows) value["limits"].push_back(row_value(row));
    value["clients"] = Json::array();
    for (const auto& client : budget.clients) {
        value["clients"].push_back(client_value(budget, client));
    }
    value["events"] = Json::array();
    for (const auto& entry : budget.journal) {
        Json event;
        put_event(event, entry, clock);
        value["events"].push_back(std::move(event));
    }
    return value;
}

}  // namespace

Json render_json(const TopReport& report) {
    Json document = new_document();
    document["taken_at"] = report.clock.value(report.clock.now_ns());
    document["budgets"] = Json::array();
    for (const auto& budget : report.budgets) {
        document["budgets"].push_back(budget_value(report.clock, budget));
    }
    return document;
}

}  // namespace ratectl
