// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "grammar/duration.hpp"
#include "grammar/limit_text.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/reports/plot.hpp"
#include "ratectl/reports/simulation_report.hpp"
#include "ratectl/table.hpp"
#include "ratectl/terminal_width.hpp"

namespace ratectl {

namespace {

using namespace simulation;
using ratecoord::grammar::format_duration;
using ratecoord::grammar::format_limit;

// "2,851.5": rounded to the nearest, a tie to the even digit, as Python's round() does.
std::string grouped(double number, int digits) {
    const auto plain = fmt::format("{:.{}f}", number, digits);
    const auto point = std::min(plain.find('.'), plain.size());
    std::string text;
    for (std::size_t at = 0; at < plain.size(); ++at) {
        if (at > 0 && at < point && (point - at) % 3 == 0) text += ',';
        text += plain[at];
    }
    return text;
}

// "33.333", "20"
std::string rate_text(double rate) {
    auto text = grouped(rate, 3);
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string jitter_text(Jitter jitter) {
    return fmt::format("{} jitter", jitter == Jitter::none ? "no" : name_of(jitter));
}

std::string backoff_text(const BackoffRule& rule) {
    const auto text = [](double seconds) {
        return format_duration(std::chrono::nanoseconds(std::llround(seconds * 1e9)));
    };
    return fmt::format("{}, base {}, cap {}", jitter_text(rule.jitter), text(rule.base),
                       text(rule.cap));
}

std::vector<Cell> article_row(std::string name, const ArticleCells& cells) {
    std::vector<Cell> row{{std::move(name)}};
    for (const auto& cell : cells) {
        row.push_back({grouped(cell.calls, 0)});
        row.push_back({grouped(cell.last_success, 1)});
    }
    return row;
}

std::string exact_pair(const ArticleCells& cells) {
    return fmt::format("{:.3f} s and {:.3f} s", cells[0].last_success, cells[1].last_success);
}

// Enough digits for the longest.
int digits_for(double longest) {
    return longest >= 10 ? 1 : 3;
}

std::vector<Cell> plan_row(std::string name, double requests, double rejected, double last,
                           int digits) {
    const auto tint = rejected > 0 ? Tint::alarm : Tint::none;
    return {{std::move(name)},
            {grouped(requests, 0)},
            {grouped(rejected, rejected > 0 && rejected < 10 ? 1 : 0), tint},
            {grouped(last, digits) + "s"}};
}

std::string plan_title(const PlanReport& report) {
    const auto& workload = report.request.workload;
    auto text = format_counted(workload.workers, "worker");
    text += workload.calls == 1
                ? ", one call each"
                : fmt::format(", {} calls each, one after the other", workload.calls);
    if (workload.cost > 1) text += fmt::format(", {} units a call", workload.cost);
    const auto service = std::chrono::nanoseconds(std::llround(workload.service_time * 1e9));
    text += fmt::format("; all begin at once; service time {}\n", format_duration(service));
    return text + fmt::format("limit: {}: {} a second, of which a budget keeps up {}\n\n",
                              format_limit(workload.limit),
                              rate_text(quota_per_second(workload.limit)),
                              rate_text(report.plan.kept_up_rate));
}

std::string plan_notes(const PlanReport& report) {
    const auto& request = report.request;
    auto text = fmt::format("backoff: {}\n", backoff_text(request.backoff));
    text += request.runs == 1 ? fmt::format("one run, seed {}\n", request.seed)
                              : fmt::format("means of {} runs, seeds {} to {}\n", request.runs,
                                            request.seed, request.seed + request.runs - 1);
    if (report.plan.shared.late > 0) {
        const auto& limit = request.workload.limit;
        text += fmt::format(
            "note: {} requests of the shared budget came after their permit's valid_until. Make "
            "the "
            "slack ({})\n{}as long as a request may be under way\n",
            rate_text(report.plan.shared.late), format_duration(limit.slack),
            limit.kind == ratecoord::LimitKind::fixed ? "twice " : "");
    }
    return text;
}

std::string storm_name(std::uint32_t price) {
    if (price == 0) return "none";
    return fmt::format("{} units, {} a {}", ratecoord::retry_units::full, price,
                       price == ratecoord::retry_units::retry ? "retry" : "timeout");
}

}  // namespace

double quota_per_second(const ratecoord::LimitDefinition& limit) {
    return static_cast<double>(limit.quota) * 1e9 / static_cast<double>(limit.window.count());
}

std::string render_text(const ArticleTable& table, const Console& console) {
    Table text({{"BACKOFF"},
                {"100 CLIENTS: CALLS", Align::right},
                {"LAST SUCCESS (S)", Align::right},
                {"1,000 CLIENTS: CALLS", Align::right},
                {"LAST SUCCESS (S)", Align::right}});
    text.add(article_row("lower bound", table.bound));
    for (const auto jitter : {Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated}) {
        text.add(article_row(jitter_text(jitter), table.jitter[static_cast<std::size_t>(jitter)]));
    }
    text.add(article_row("shared budget", table.shared));
    const auto limit = article_limit(std::chrono::milliseconds(5));
    return text.text(console) +
           fmt::format(
               "\nAll clients call at once; the venue admits 10 calls in each 1-second window and "
               "rejects the rest.\n"
               "Backoff: base 0.5 s, cap 30 s, means of the {} runs with seeds 0 to {}. Lower "
               "bound: "
               "perfect pacing.\n"
               "Shared budget: no formula, but ratecoord's own calendar in virtual time, created "
               "full, "
               "with the limit\n"
               "{}: {} and {} rejected, last success at {}.\n"
               "Its slack is the least that a limit may have, since nothing is under way here; "
               "with "
               "the default of {}\n"
               "each window opens that much later: last success at {}.\n",
               article_runs, article_runs - 1, format_limit(limit), table.shared[0].rejected,
               table.shared[1].rejected, exact_pair(table.shared),
               format_duration(ratecoord::LimitDefinition{}.slack),
               exact_pair(table.shared_default_slack));
}

std::string render_text(const PlanReport& report, const Console& console) {
    const auto& herd = report.plan.herd;
    const auto& shared = report.plan.shared;
    const auto& request = report.request;
    const int digits = digits_for(std::max(herd.last_success, shared.last_success));
    Table table({{"PACED BY"},
                 {"REQUESTS", Align::right},
                 {"REJECTED", Align::right},
                 {"LAST SUCCESS", Align::right}});
    const auto successes = static_cast<double>(request.workload.successes());
    const auto name = jitter_text(request.backoff.jitter);
    table.add(plan_row("lower bound", successes, 0, report.plan.bound, digits));
    table.add(plan_row(name, herd.requests, herd.rejected, herd.last_success, digits));
    table.add(
        plan_row("shared budget", shared.requests, shared.rejected, shared.last_success, digits));
    const Plot plots[] = {{name, herd.timeline, static_cast<double>(herd.runs)},
                          {"shared budget", shared.timeline, static_cast<double>(shared.runs)}};
    const double quota =
        quota_per_second(request.workload.limit) / static_cast<double>(request.workload.cost);
    return plan_title(report) + table.text(console) + plan_notes(report) +
           fmt::format("\nrequests a second: # admitted, x rejected, | the quota ({})\n",
                       rate_text(quota)) +
           render_plots(plots, {.quota = quota, .width = terminal_width()}, console);
}

std::string render_text(const StormReport& report, const Console& console) {
    const auto& storm = report.storm;
    Table table({{"RETRY BUDGET"},
                 {"REQUESTS", Align::right},
                 {"RETRIES", Align::right},
                 {"REFUSED", Align::right},
                 {"LAST REQUEST", Align::right}});
    const int digits = digits_for(report.runs.front().last_request);
    for (std::size_t i = 0; i < storm_prices.size(); ++i) {
        const auto& run = report.runs[i];
        table.add({{storm_name(storm_prices[i])},
                   {grouped(static_cast<double>(run.requests), 0)},
                   {grouped(static_cast<double>(run.requests - storm.workers), 0)},
                   {grouped(static_cast<double>(run.retries_refused), 0)},
                   {grouped(run.last_request, digits) + "s"}});
    }
    const Plot plots[] = {{"no retry budget", report.runs[0].timeline},
                          {storm_name(storm_prices[1]), report.runs[1].timeline}};
    return fmt::format("{}, {} of {} each; the venue is dead: nothing succeeds\n\n",
                       format_counted(storm.workers, "worker"),
                       format_counted(storm.layers, "layer"),
                       format_counted(storm.retries, "retry", "retries")) +
           table.text(console) +
           fmt::format("backoff of each layer: {}; seed {}\n\nrequests a second: x rejected\n",
                       backoff_text(storm.backoff), storm.seed) +
           render_plots(plots, {.width = terminal_width(), .same_slices = true}, console);
}

}  // namespace ratectl
