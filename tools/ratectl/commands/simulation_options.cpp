// SPDX-License-Identifier: Apache-2.0
#include "ratectl/commands/simulation_options.hpp"

#include <fmt/format.h>

#include "grammar/duration.hpp"
#include "grammar/limit_text.hpp"
#include "grammar/number.hpp"

namespace ratectl {

namespace {

using ratecoord::grammar::in_quotes;
using simulation::BackoffRule;

constexpr std::chrono::hours longest{1};
constexpr std::uint64_t storm_most = 10'000'000;  // requests of layers

// Leaves `target` as it is where nothing is given.
template <typename Number>
Outcome<void> read_number(const char* name, const std::string& text, std::uint64_t least,
                          std::uint64_t most, Number& target) {
    if (text.empty()) return {};
    const auto number = ratecoord::grammar::parse_number(name, text);
    if (!number) return tl::unexpected(SimulationOptions::usage(number.error().message));
    if (*number < least || *number > most) {
        return tl::unexpected(SimulationOptions::usage(
            fmt::format("{} {} is not between {} and {}", name, in_quotes(text), least, most)));
    }
    target = static_cast<Number>(*number);
    return {};
}

Outcome<void> read_seconds(const char* name, const std::string& text,
                           std::chrono::nanoseconds least, double& target) {
    if (text.empty()) return {};
    const auto duration = ratecoord::grammar::parse_duration(name, text);
    if (!duration) return tl::unexpected(SimulationOptions::usage(duration.error().message));
    if (*duration < least || *duration > longest) {
        return tl::unexpected(SimulationOptions::usage(
            fmt::format("{} {} is not between {} and 1h", name, in_quotes(text),
                        ratecoord::grammar::format_duration(least))));
    }
    target = static_cast<double>(duration->count()) / 1e9;
    return {};
}

Outcome<void> read_jitter(const std::string& text, BackoffRule& backoff) {
    if (text.empty()) return {};
    const auto jitter = simulation::jitter_named(text);
    if (!jitter) {
        return tl::unexpected(SimulationOptions::usage(
            "--backoff " + in_quotes(text) + " is none of none, full, equal and decorrelated"));
    }
    backoff.jitter = *jitter;
    return {};
}

// The first that failed.
template <typename... Steps>
Outcome<void> in_turn(Steps... steps) {
    Outcome<void> done;
    static_cast<void>(((done = steps()).has_value() && ...));
    return done;
}

}  // namespace

Failure SimulationOptions::usage(std::string cause) {
    return usage_failure("simulate", std::move(cause), "see 'ratectl simulate --help'");
}

void SimulationOptions::declare(Parameters& parameters) {
    parameters.flag("--table", table_, "the published comparison of backoffs, and a shared budget");
    parameters.option(
        "--scenario", "NAME", scenario_,
        "herd (if not given): workers on one limit; layers: retries inside retries on "
        "a dead venue");
    parameters.option("--workers", "COUNT", workers_,
                      "how many, all from the same instant on; of layers 40 if not given");
    parameters.option("--limit", "LIMIT", limit_,
                      "the venue's limit, as for create; see 'ratectl help limits'");
    parameters.option("--service-time", "DURATION", service_time_,
                      "from sending a request to its reply; 0s if not given");
    parameters.option("--calls", "COUNT", calls_,
                      "calls of each worker, one after the other; 1 if not given");
    parameters.option("--cost", "UNITS", cost_, "units a call takes; 1 if not given");
    parameters.option("--backoff", "JITTER", backoff_,
                      "none, full (if not given), equal or decorrelated");
    parameters.option("--base", "DURATION", base_, "first wait of the backoff; 500ms if not given");
    parameters.option("--cap", "DURATION", cap_, "its longest wait; 30s if not given");
    parameters.option("--seed", "SEED", seed_, "of the first run; 0 if not given");
    parameters.option("--runs", "COUNT", runs_, "with so many seeds; 20 if not given");
    parameters.option("--layers", "COUNT", layers_,
                      "layers that retry, one inside the other; 2 if not given");
    parameters.option("--retries", "COUNT", retries_, "of each layer; 3 if not given");
    parameters.remark(
        "ratectl simulate --table\n"
        "ratectl simulate --workers 40 --limit weight=1200/1m,kind=fixed --calls 50 "
        "--service-time 80ms\n"
        "ratectl simulate --scenario layers --workers 40 --layers 3");
}

Outcome<void> SimulationOptions::refuse(const char* scenario, std::span<const Given> unused) const {
    for (const auto& option : unused) {
        if (option.text.empty()) continue;
        return tl::unexpected(usage(fmt::format("{} takes no {}", scenario, option.name)));
    }
    return {};
}

Outcome<SimulationOptions::Scenario> SimulationOptions::scenario() const {
    if (table_) {
        const Given unused[] = {{"--scenario", scenario_}, {"--workers", workers_},
                                {"--limit", limit_},       {"--service-time", service_time_},
                                {"--calls", calls_},       {"--cost", cost_},
                                {"--backoff", backoff_},   {"--base", base_},
                                {"--cap", cap_},           {"--seed", seed_},
                                {"--runs", runs_},         {"--layers", layers_},
                                {"--retries", retries_}};
        if (auto refused = refuse("--table", unused); !refused) {
            return tl::unexpected(refused.error());
        }
        return Scenario::table;
    }
    if (scenario_ == "layers") return Scenario::layers;
    if (!scenario_.empty() && scenario_ != "herd") {
        return tl::unexpected(
            usage("--scenario " + in_quotes(scenario_) + " is neither herd nor layers"));
    }
    if (workers_.empty() || limit_.empty()) {
        return tl::unexpected(
            usage(workers_.empty() && limit_.empty()
                      ? "nothing is asked for; give --table, or --workers and --limit"
                      : fmt::format("{} is missing", workers_.empty() ? "--workers" : "--limit")));
    }
    return Scenario::herd;
}

Outcome<void> SimulationOptions::read_durations(double& service_time, BackoffRule& backoff) const {
    using std::chrono::nanoseconds;
    auto read = in_turn(
        [&] { return read_seconds("--service-time", service_time_, nanoseconds(0), service_time); },
        [&] { return read_seconds("--base", base_, std::chrono::milliseconds(1), backoff.base); },
        [&] { return read_seconds("--cap", cap_, std::chrono::milliseconds(1), backoff.cap); },
        [&] { return read_jitter(backoff_, backoff); });
    if (read && backoff.base > backoff.cap) {
        return tl::unexpected(usage("the first wait --base is longer than the longest, --cap"));
    }
    return read;
}

Outcome<simulation::PlanRequest> SimulationOptions::plan_request() const {
    const Given unused[] = {{"--layers", layers_}, {"--retries", retries_}};
    if (auto refused = refuse("the scenario herd", unused); !refused) {
        return tl::unexpected(refused.error());
    }
    simulation::PlanRequest request;
    auto& work = request.workload;
    const auto read = in_turn(
        [&] {
            return read_number("--workers", workers_, 1, simulation::workers_most, work.workers);
        },
        [&] { return read_number("--calls", calls_, 1, 1'000'000, work.calls); },
        [&] { return read_number("--cost", cost_, 1, std::uint64_t{1} << 31, work.cost); },
        [&] { return read_number("--seed", seed_, 0, INT64_MAX, request.seed); },
        [&] { return read_number("--runs", runs_, 1, 10'000, request.runs); },
        [&] { return read_durations(work.service_time, request.backoff); });
    if (!read) return tl::unexpected(read.error());
    auto limit = ratecoord::grammar::parse_limit(limit_);
    if (!limit) {
        return tl::unexpected(
            usage_failure("simulate", limit.error().message, "see 'ratectl help limits'"));
    }
    work.limit = *std::move(limit);
    return request;
}

Outcome<simulation::Storm> SimulationOptions::storm() const {
    const Given unused[] = {
        {"--limit", limit_}, {"--calls", calls_}, {"--cost", cost_}, {"--runs", runs_}};
    if (auto refused = refuse("the scenario layers", unused); !refused) {
        return tl::unexpected(refused.error());
    }
    simulation::Storm storm;
    const auto read = in_turn(
        [&] {
            return read_number("--workers", workers_, 1, simulation::workers_most, storm.workers);
        },
        [&] { return read_number("--layers", layers_, 1, 16, storm.layers); },
        [&] { return read_number("--retries", retries_, 0, 1000, storm.retries); },
        [&] { return read_number("--seed", seed_, 0, INT64_MAX, storm.seed); },
        [&] { return read_durations(storm.service_time, storm.backoff); });
    if (!read) return tl::unexpected(read.error());
    const auto requests = storm.requests_without_budget();
    if (!requests || *requests > storm_most) {
        return tl::unexpected(usage(fmt::format(
            "that is more than {} requests; give fewer workers, layers or retries", storm_most)));
    }
    return storm;
}

}  // namespace ratectl
