// SPDX-License-Identifier: Apache-2.0
#include "ratectl/commands/permit_request.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "grammar/cost_text.hpp"
#include "grammar/duration.hpp"
#include "grammar/number.hpp"
#include "ratectl/commands/profile_actions.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::Decision;
using ratecoord::Intent;
using ratecoord::Lane;
using ratecoord::Refusal;
using ratecoord::grammar::CostText;
using ratecoord::grammar::in_quotes;

Failure unusable(const std::string& what, std::string cause) {
    return usage_failure(what, std::move(cause), "see 'ratectl help costs'");
}

Failure refusal_failure(const std::string& what, const std::string& name, const Decision& decision,
                        const std::vector<CostText>& cost) {
    const auto clock = WallClock::read();
    const auto left = [&](ratecoord::BootTime at) {
        return std::max<std::int64_t>(0, clock.left_ns(nanoseconds_of(at)));
    };
    Failure failure{.what = what,
                    .cause = "",
                    .hint = fmt::format("see 'ratectl show {}'", name),
                    .code = ratecoord::name_of(decision.refusal()),
                    .exit = ExitCode::over_budget,
                    .retry_after_ns = std::nullopt};
    const auto item = decision.which() < cost.size() ? cost[decision.which()] : CostText{};
    switch (decision.refusal()) {
        case Refusal::none:
        case Refusal::not_yet:
            failure.retry_after_ns = left(decision.retry_at());
            failure.cause = fmt::format("there is no room before the timeout, but in {}",
                                        format_left(*failure.retry_after_ns));
            failure.hint = "raise --timeout, or come back then";
            break;
        case Refusal::paused:
            failure.retry_after_ns = left(decision.resume_after());
            failure.cause = fmt::format("it is paused until {}, {} left",
                                        clock.text(nanoseconds_of(decision.resume_after())),
                                        format_left(*failure.retry_after_ns));
            break;
        case Refusal::halted:
            failure.cause = "it is halted; only --intent read and close pass";
            break;
        case Refusal::too_large:
            failure.cause = fmt::format("{} units of {} can never fit at once", item.units,
                                        in_quotes(item.limit));
            break;
        case Refusal::calendar_full:
            failure.cause = "too many permits are waited for already";
            break;
        case Refusal::keys_full:
            failure.cause = fmt::format("there is no room for one more key of {}, and none is idle",
                                        in_quotes(item.limit));
            break;
    }
    return failure;
}

ratecoord::Result<ratecoord::Cost> resolve(const ratecoord::Budget& budget,
                                           const std::vector<CostText>& texts) {
    std::vector<ratecoord::CostItem> items;
    for (const auto& text : texts) items.push_back({text.limit, text.units, text.key});
    return budget.cost(std::span<const ratecoord::CostItem>(items));
}

}  // namespace

void PermitRequest::declare(Parameters& parameters) {
    parameters.argument("NAME", name_, "the budget");
    parameters.optional_arguments("COST", costs_,
                                  "NAME=UNITS for each limit that the request draws from");
    parameters.option("--operation", "NAME", operation_,
                      "what this operation of the profile costs, instead of COST");
    parameters.options("--argument", "NAME=NUMBER", arguments_,
                       "what the operation's cost depends on: limit=500; may be repeated");
    parameters.option("--profile", "NAME|FILE", profile_,
                      "the profile that knows the operation; that of the budget's name if not "
                      "given");
    parameters.options("--key", "LIMIT=KEY", keys_,
                       "the key where a limit is counted per key: orders=main; may be "
                       "repeated");
    parameters.option("--timeout", "DURATION", timeout_,
                      "wait at most so long; 60s if not given, 0s: not at all");
    parameters.option("--lane", "LANE", lane_, "normal (if not given) or critical");
    parameters.option("--intent", "INTENT", intent_,
                      "open (if not given), read or close; a halt refuses open");
}

Outcome<Lane> PermitRequest::read_lane(const std::string& what, Lane otherwise) const {
    if (lane_.empty()) return otherwise;
    if (lane_ == "normal") return Lane::normal;
    if (lane_ == "critical") return Lane::critical;
    return tl::unexpected(
        unusable(what, "--lane " + in_quotes(lane_) + " is neither normal nor critical"));
}

Outcome<Intent> PermitRequest::read_intent(const std::string& what, Intent otherwise) const {
    if (intent_.empty()) return otherwise;
    if (intent_ == "read") return Intent::read;
    if (intent_ == "open") return Intent::open;
    if (intent_ == "close") return Intent::close;
    return tl::unexpected(
        unusable(what, "--intent " + in_quotes(intent_) + " is none of read, open and close"));
}

Outcome<PermitRequest::Wanted> PermitRequest::priced(const std::string& what) const {
    const auto profile = load_profile(what, profile_.empty() ? name_ : profile_);
    if (!profile) return tl::unexpected(profile.error());
    std::vector<ratecoord::grammar::Assignment> written;
    for (const std::string& text : arguments_) {
        auto assignment = ratecoord::grammar::parse_assignment("--argument", text);
        if (!assignment) return tl::unexpected(unusable(what, assignment.error().message));
        written.push_back(*std::move(assignment));
    }
    std::vector<ratecoord::Argument> arguments;
    for (const auto& [name, value] : written) {
        const auto number = ratecoord::grammar::parse_number("--argument", value);
        if (!number) return tl::unexpected(unusable(what, number.error().message));
        arguments.push_back({name, *number});
    }
    const auto cost = profile->cost(operation_, arguments);
    if (!cost) return tl::unexpected(failure_of(what, cost.error()));
    const auto operation = profile->operation(operation_);
    if (!operation) return tl::unexpected(failure_of(what, operation.error()));
    Wanted wanted{{}, operation->lane, operation->intent};
    for (const auto& part : *cost) {
        if (part.units > 0) wanted.costs.push_back(fmt::format("{}={}", part.limit, part.units));
    }
    return wanted;
}

Outcome<PermitRequest::Wanted> PermitRequest::wanted(const std::string& what) const {
    if (!operation_.empty() && !costs_.empty()) {
        return tl::unexpected(unusable(what, "COST and --operation exclude each other"));
    }
    if (!operation_.empty()) return priced(what);
    if (costs_.empty()) {
        return tl::unexpected(unusable(what, "neither COST nor --operation is given"));
    }
    if (!arguments_.empty() || !profile_.empty()) {
        return tl::unexpected(unusable(what, "--argument and --profile go with --operation"));
    }
    return Wanted{costs_, Lane::normal, Intent::open};
}

Outcome<Granted> PermitRequest::acquire(const std::string& what, const std::string& label) const {
    const auto asked = wanted(what);
    if (!asked) return tl::unexpected(asked.error());
    const auto texts = ratecoord::grammar::parse_cost(asked->costs, keys_);
    if (!texts) return tl::unexpected(unusable(what, texts.error().message));
    const auto timeout = ratecoord::grammar::parse_duration("--timeout", timeout_);
    if (!timeout) return tl::unexpected(unusable(what, timeout.error().message));
    const auto lane = read_lane(what, asked->lane);
    if (!lane) return tl::unexpected(lane.error());
    const auto intent = read_intent(what, asked->intent);
    if (!intent) return tl::unexpected(intent.error());

    auto budget = attach_client(what, name_, label);
    if (!budget) return tl::unexpected(budget.error());
    const auto resolved = resolve(*budget, *texts);
    if (!resolved) return tl::unexpected(budget_failure(what, name_, resolved.error()));
    const auto cost = resolved->with(*lane).with(*intent);
    const auto began = ratecoord::BootClock::now();
    auto decision =
        timeout->count() == 0 ? budget->try_acquire(cost) : budget->acquire(cost, *timeout);
    if (!decision) return tl::unexpected(budget_failure(what, name_, decision.error()));
    if (!decision->granted()) {
        return tl::unexpected(refusal_failure(what, name_, *decision, *texts));
    }
    const auto waited = ratecoord::BootClock::now() - began;
    return Granted{*std::move(budget), *std::move(decision), waited};
}

}  // namespace ratectl
