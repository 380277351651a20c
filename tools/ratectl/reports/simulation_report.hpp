// SPDX-License-Identifier: Apache-2.0
//
// What `ratectl simulate` found.
//
// UNITS    Seconds.
#pragma once

#include <array>
#include <string>

#include <ratecoord/backoff.hpp>

#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"
#include "simulation/article_table.hpp"
#include "simulation/layers.hpp"
#include "simulation/plan.hpp"

namespace ratectl {

struct PlanReport {
    simulation::PlanRequest request;
    simulation::Plan plan;
};

/// Without a retry budget, with it where requests end in errors, and where they end in timeouts.
inline constexpr std::array<std::uint32_t, 3> storm_prices{
    0, ratecoord::retry_units::retry, ratecoord::retry_units::retry_after_timeout};

struct StormReport {
    simulation::Storm storm;
    std::array<simulation::StormRun, storm_prices.size()> runs;
};

std::string render_text(const simulation::ArticleTable& table, const Console& console);
std::string render_text(const PlanReport& report, const Console& console);
std::string render_text(const StormReport& report, const Console& console);

Json render_json(const simulation::ArticleTable& table);
Json render_json(const PlanReport& report);
Json render_json(const StormReport& report);

/// Units a second that the limit's own numbers come to.
double quota_per_second(const ratecoord::LimitDefinition& limit);

}  // namespace ratectl
