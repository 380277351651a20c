// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "grammar/limit_text.hpp"
#include "ratectl/reports/simulation_report.hpp"

namespace ratectl {

namespace {

using namespace simulation;
using ratecoord::grammar::format_limit;

constexpr std::size_t slices_most = 200;

Json article_row(std::string_view name, const ArticleCells& cells) {
    Json row;
    row["backoff"] = name;
    row["results"] = Json::array();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        Json result;
        result["clients"] = article_clients[i];
        result["calls"] = cells[i].calls;
        result["rejected"] = cells[i].rejected;
        result["last_success_seconds"] = cells[i].last_success;
        row["results"].push_back(std::move(result));
    }
    return row;
}

Json backoff_json(const BackoffRule& rule) {
    Json value;
    value["kind"] = name_of(rule.jitter);
    value["base_seconds"] = rule.base;
    value["cap_seconds"] = rule.cap;
    return value;
}

Json timeline_json(const Timeline& timeline, double runs) {
    const auto coarse = timeline.in_slices(timeline.slice_for(slices_most));
    const double slice_seconds = static_cast<double>(coarse.slice_ms()) / 1000;
    Json value;
    value["slice_seconds"] = slice_seconds;
    value["admitted_per_second"] = Json::array();
    value["rejected_per_second"] = Json::array();
    for (const auto& slice : coarse.slices()) {
        const auto rate = [&](std::uint64_t count) {
            return static_cast<double>(count) / (slice_seconds * runs);
        };
        value["admitted_per_second"].push_back(rate(slice.admitted));
        value["rejected_per_second"].push_back(rate(slice.rejected));
    }
    return value;
}

Json plan_row(std::string_view name, const PlanRow& row) {
    Json value;
    value["paced_by"] = name;
    value["runs"] = row.runs;
    value["requests"] = row.requests;
    value["rejected"] = row.rejected;
    value["late"] = row.late;
    value["last_success_seconds"] = row.last_success;
    value["timeline"] = timeline_json(row.timeline, static_cast<double>(row.runs));
    return value;
}

}  // namespace

Json render_json(const ArticleTable& table) {
    auto document = new_document();
    document["scenario"] = "table";
    document["runs"] = article_runs;
    document["limit"] = format_limit(article_limit(std::chrono::milliseconds(5)));
    document["rows"] = Json::array();
    document["rows"].push_back(article_row("lower-bound", table.bound));
    for (const auto jitter : {Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated}) {
        document["rows"].push_back(
            article_row(name_of(jitter), table.jitter[static_cast<std::size_t>(jitter)]));
    }
    document["rows"].push_back(article_row("shared-budget", table.shared));
    document["rows"].push_back(
        article_row("shared-budget-default-slack", table.shared_default_slack));
    return document;
}

Json render_json(const PlanReport& report) {
    const auto& request = report.request;
    const auto& workload = request.workload;
    auto document = new_document();
    document["scenario"] = "herd";
    document["workers"] = workload.workers;
    document["calls_each"] = workload.calls;
    document["units_a_call"] = workload.cost;
    document["service_time_seconds"] = workload.service_time;
    document["limit"] = format_limit(workload.limit);
    document["quota_per_second"] = quota_per_second(workload.limit);
    document["kept_up_per_second"] = report.plan.kept_up_rate;
    document["backoff"] = backoff_json(request.backoff);
    document["first_seed"] = request.seed;
    document["lower_bound_seconds"] = report.plan.bound;
    document["rows"] = Json::array();
    document["rows"].push_back(plan_row(name_of(request.backoff.jitter), report.plan.herd));
    document["rows"].push_back(plan_row("shared-budget", report.plan.shared));
    return document;
}

Json render_json(const StormReport& report) {
    const auto& storm = report.storm;
    auto document = new_document();
    document["scenario"] = "layers";
    document["workers"] = storm.workers;
    document["layers"] = storm.layers;
    document["retries_a_layer"] = storm.retries;
    document["service_time_seconds"] = storm.service_time;
    document["backoff"] = backoff_json(storm.backoff);
    document["seed"] = storm.seed;
    document["rows"] = Json::array();
    for (std::size_t i = 0; i < storm_prices.size(); ++i) {
        const auto& run = report.runs[i];
        const bool budget = storm_prices[i] > 0;
        Json row;
        row["retry_budget_units"] = budget ? Json(ratecoord::retry_units::full) : Json();
        row["units_a_retry"] = budget ? Json(storm_prices[i]) : Json();
        row["requests"] = run.requests;
        row["retries_refused"] = run.retries_refused;
        row["last_request_seconds"] = run.last_request;
        row["timeline"] = timeline_json(run.timeline, 1);
        document["rows"].push_back(std::move(row));
    }
    return document;
}

}  // namespace ratectl
