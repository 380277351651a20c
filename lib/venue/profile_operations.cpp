// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "venue/profile_parts.hpp"

namespace ratecoord::venue {
namespace {

constexpr std::size_t draws_max = 8;  // a request draws from at most 8 limits
constexpr auto any_value = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

bool is_units(const Node& node) {
    return node.kind == Node::Kind::integer && node.integer >= 0 &&
           static_cast<std::uint64_t>(node.integer) <= units_max;
}

std::vector<CostStep> read_steps(Fields& fields) {
    const Node* node = fields.take("steps");
    if (node == nullptr) return {};
    std::vector<CostStep> steps;
    for (const auto& item : node->items) {
        if (item.kind != Node::Kind::array || item.items.size() != 2 ||
            item.items[0].kind != Node::Kind::integer || item.items[0].integer < 0 ||
            !is_units(item.items[1])) {
            break;
        }
        const CostStep step{static_cast<std::uint64_t>(item.items[0].integer),
                            static_cast<std::uint64_t>(item.items[1].integer)};
        if (!steps.empty() && step.up_to <= steps.back().up_to) {
            fields.complain("steps", "are not ascending: " + std::to_string(step.up_to) +
                                         " after " + std::to_string(steps.back().up_to));
            return {};
        }
        steps.push_back(step);
    }
    if (steps.empty() || steps.size() != node->items.size()) {
        fields.complain("steps", "is not an array of [up to this value, units]");
        return {};
    }
    return steps;
}

void read_linear(Fields& fields, CostRule& rule) {
    rule.kind = CostRule::Kind::linear;
    rule.each = fields.number("each", 0, units_max).value_or(1);
    rule.base = fields.number("base", 0, units_max).value_or(0);
    rule.divide = fields.number("divide", 1, units_max).value_or(1);
    rule.most = fields.number("most", 1, units_max);
    rule.value_max = fields.number("up_to", 1, any_value);
    rule.rounds_down = fields.word("round", {"up", "down"}).value_or(0) == 1;
}

CostRule read_cost_table(const Node& node, const std::string& what, Findings& findings) {
    CostRule rule;
    Fields fields(node, findings, what);
    fields.require("parameter");
    if (auto parameter = fields.text("parameter")) {
        if (!parameter->empty() && parameter->size() <= 48) rule.parameter = *parameter;
        if (rule.parameter.empty()) fields.complain("parameter", "is not 1 to 48 characters");
    }
    const int forms =
        int{fields.has("steps")} + int{fields.has("present")} + int{fields.has("each")};
    if (forms != 1) fields.complain("needs one of steps, each or present");
    if (fields.has("steps")) {
        rule.kind = CostRule::Kind::steps;
        rule.steps = read_steps(fields);
    } else if (fields.has("present")) {
        rule.kind = CostRule::Kind::present;
        rule.units = fields.number("present", 0, units_max).value_or(0);
        fields.require("absent");
    } else {
        read_linear(fields, rule);
    }
    if (rule.kind != CostRule::Kind::present) {
        rule.value_if_absent = fields.number("default", 0, any_value);
    }
    rule.cost_if_absent = fields.number("absent", 0, units_max);
    if (rule.value_if_absent && rule.cost_if_absent) {
        fields.complain("has both default and absent");
    }
    fields.finish();
    return rule;
}

std::string names_of(const std::vector<Limit>& limits) {
    std::string all;
    for (const auto& limit : limits) all += (all.empty() ? "" : ", ") + limit.definition.name;
    return all;
}

std::uint16_t limit_of(const Member& member, const std::string& what, const Profile& profile,
                       Findings& findings) {
    const auto limit = profile.find_limit(member.key);
    if (limit == no_index) {
        findings.add(member.place, what + ": no limit " + in_quotes(member.key) +
                                       "; there are: " + names_of(profile.limits));
    }
    return limit;
}

std::vector<Draw> read_draws(Fields& fields, const Profile& profile, Findings& findings) {
    const Node* node = fields.take("cost");
    std::vector<Draw> draws;
    if (node == nullptr || node->kind != Node::Kind::table || node->members.empty()) {
        fields.complain("cost", "is needed: {limit = units, ...}");
        return draws;
    }
    if (node->members.size() > draws_max) {
        fields.complain("cost", "names more than " + std::to_string(draws_max) + " limits");
        return draws;
    }
    for (const auto& member : node->members) {
        const auto what = fields.what() + ": cost." + member.key;
        Draw draw;
        draw.place = member.place;
        draw.limit = limit_of(member, fields.what() + ": cost", profile, findings);
        if (is_units(member.value)) {
            draw.rule.units = static_cast<std::uint64_t>(member.value.integer);
        } else if (member.value.kind == Node::Kind::integer) {
            findings.add(member.value.place,
                         what + " is not between 0 and " + std::to_string(units_max));
        } else {
            draw.rule = read_cost_table(member.value, what, findings);
        }
        if (draw.limit != no_index) draws.push_back(std::move(draw));
    }
    return draws;
}

std::vector<Charge> read_charges(Fields& charge, std::string_view key, const Operation& operation,
                                 const Profile& profile, Findings& findings) {
    std::vector<Charge> charges;
    const Node* node = charge.take(key);
    if (node == nullptr) return charges;
    if (node->kind != Node::Kind::table) {
        charge.complain(key, "is not a table {limit = units}");
        return charges;
    }
    for (const auto& member : node->members) {
        const auto what = charge.what() + "." + std::string(key);
        const auto limit = limit_of(member, what, profile, findings);
        if (limit == no_index) continue;
        const bool is_drawn = std::any_of(operation.draws.begin(), operation.draws.end(),
                                          [&](const Draw& draw) { return draw.limit == limit; });
        if (!is_drawn) {
            findings.add(member.place,
                         what + ": the operation draws nothing from " + in_quotes(member.key));
        } else if (!is_units(member.value)) {
            findings.add(member.place, what + "." + member.key + " is not a number of units");
        } else {
            charges.push_back({limit, static_cast<std::uint64_t>(member.value.integer)});
        }
    }
    return charges;
}

bool is_operation_name(std::string_view text) {
    std::string lowered = to_lower(text);
    return is_name(lowered, 48, "_.-");
}

Operation read_operation(const Member& member, const Profile& profile, Findings& findings) {
    Fields fields(member.value, findings, "operation " + in_quotes(member.key));
    Operation operation;
    operation.name = member.key;
    operation.place = member.place;
    operation.provenance = read_provenance(fields, profile.provenance);
    if (!is_operation_name(member.key)) {
        fields.complain("a name is 1 to 48 letters of ASCII, digits, '_', '-', '.'");
    }
    fields.require("intent");
    if (const auto intent = fields.word("intent", {"read", "open", "close"})) {
        operation.intent = static_cast<Intent>(*intent);
    }
    operation.lane = fields.word("lane", {"normal", "critical"}).value_or(0) == 1 ? Lane::critical
                                                                                  : Lane::normal;
    operation.is_idempotent =
        fields.boolean("idempotent").value_or(operation.intent == Intent::read);
    operation.draws = read_draws(fields, profile, findings);
    if (const Node* node = fields.take("charge"); node != nullptr) {
        Fields charge(*node, findings, fields.what() + ": charge");
        operation.charge_ok = read_charges(charge, "ok", operation, profile, findings);
        operation.charge_failed = read_charges(charge, "failed", operation, profile, findings);
        charge.finish();
    }
    fields.finish();
    return operation;
}

}  // namespace

void read_operations(const Node& node, Profile& profile, Findings& findings) {
    if (node.kind != Node::Kind::table) {
        findings.add(node.place, "operations: is not a table of operations");
        return;
    }
    if (node.members.size() > operations_max) {
        findings.add(node.members[operations_max].place,
                     "operations: " + std::to_string(node.members.size()) + " of them; at most " +
                         std::to_string(operations_max));
        return;
    }
    for (const auto& member : node.members) {
        profile.operations.push_back(read_operation(member, profile, findings));
    }
}

}  // namespace ratecoord::venue
