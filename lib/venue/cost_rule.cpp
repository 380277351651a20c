// SPDX-License-Identifier: Apache-2.0
#include "venue/cost_rule.hpp"

#include <algorithm>

namespace ratecoord::venue {
namespace {

std::uint64_t by_steps(const CostRule& rule, std::uint64_t value) noexcept {
    for (const auto& step : rule.steps) {
        if (value <= step.up_to) return step.units;
    }
    return rule.steps.empty() ? units_max : rule.steps.back().units;
}

std::uint64_t by_line(const CostRule& rule, std::uint64_t value) noexcept {
    const auto product = static_cast<unsigned __int128>(rule.each) * value;
    auto share = product / rule.divide;
    if (!rule.rounds_down && product % rule.divide != 0) ++share;
    const auto sum = share + rule.base;
    const auto units = sum > units_max ? units_max : static_cast<std::uint64_t>(sum);
    return rule.most ? std::min(units, *rule.most) : units;
}

std::uint64_t by_value(const CostRule& rule, std::uint64_t value) noexcept {
    return rule.kind == CostRule::Kind::steps ? by_steps(rule, value) : by_line(rule, value);
}

}  // namespace

CostAnswer evaluate(const CostRule& rule, std::span<const Argument> arguments) noexcept {
    using Kind = CostAnswer::Kind;
    if (rule.kind == CostRule::Kind::fixed) return {Kind::known, rule.units};
    const auto given =
        std::find_if(arguments.begin(), arguments.end(),
                     [&](const Argument& argument) { return argument.name == rule.parameter; });
    if (given == arguments.end()) {
        if (rule.cost_if_absent) return {Kind::known, *rule.cost_if_absent};
        if (rule.value_if_absent) return {Kind::known, by_value(rule, *rule.value_if_absent)};
        return {Kind::missing, 0};
    }
    if (rule.kind == CostRule::Kind::present) return {Kind::known, rule.units};
    if (rule.value_max && given->value > *rule.value_max) return {Kind::too_large, 0};
    return {Kind::known, by_value(rule, given->value)};
}

bool is_bounded(const CostRule& rule) noexcept {
    return rule.kind != CostRule::Kind::linear || rule.each == 0 || rule.most || rule.value_max;
}

std::uint64_t largest(const CostRule& rule) noexcept {
    std::uint64_t most = rule.cost_if_absent.value_or(0);
    switch (rule.kind) {
        case CostRule::Kind::fixed:
        case CostRule::Kind::present:
            return std::max(most, rule.units);
        case CostRule::Kind::steps:
            for (const auto& step : rule.steps) most = std::max(most, step.units);
            return most;
        case CostRule::Kind::linear:
            if (rule.value_max) return std::max(most, by_line(rule, *rule.value_max));
            if (rule.most && rule.each > 0) return std::max(most, *rule.most);
            return std::max(most, by_line(rule, rule.value_if_absent.value_or(1)));
    }
    return most;
}

}  // namespace ratecoord::venue
