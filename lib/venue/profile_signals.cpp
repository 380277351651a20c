// SPDX-License-Identifier: Apache-2.0
#include "venue/profile_parts.hpp"

namespace ratecoord::venue {
namespace {

constexpr std::size_t waits_max = 8;

std::optional<StatusRange> to_status(const Node& node) {
    if (node.kind == Node::Kind::integer && node.integer >= 100 && node.integer <= 599) {
        const auto status = static_cast<std::uint16_t>(node.integer);
        return StatusRange{status, status};
    }
    if (node.kind == Node::Kind::text && node.text.size() == 3 && node.text[0] >= '1' &&
        node.text[0] <= '5' && node.text.ends_with("xx")) {
        const auto first = static_cast<std::uint16_t>((node.text[0] - '0') * 100);
        return StatusRange{first, static_cast<std::uint16_t>(first + 99)};
    }
    return std::nullopt;
}

std::vector<StatusRange> read_statuses(Fields& fields) {
    const Node* node = fields.take("status");
    if (node == nullptr) return {};
    std::vector<StatusRange> statuses;
    if (node->kind == Node::Kind::array && !node->items.empty()) {
        for (const auto& item : node->items) {
            if (const auto status = to_status(item)) statuses.push_back(*status);
        }
        if (statuses.size() == node->items.size()) return statuses;
    } else if (const auto status = to_status(*node)) {
        return {*status};
    }
    fields.complain("status", "is not 100 to 599, \"4xx\" and so on, or an array of them");
    return {};
}

void read_now(Fields& fields, WaitRule& rule) {
    rule.now.header = read_header_name(fields, "now_header");
    if (!rule.now.header.empty()) rule.now.kind = NumberSource::Kind::header;
    if (auto pointer = read_pointer(fields, "now_at")) {
        if (rule.now.kind != NumberSource::Kind::none) {
            fields.complain("has both now_header and now_at");
        }
        rule.now.pointer = std::move(*pointer);
        rule.now.kind = NumberSource::Kind::body;
    }
}

void read_wait_unit(Fields& fields, WaitRule& rule) {
    fields.require("unit");
    if (const auto unit = read_unit(fields, "unit")) rule.unit = *unit;
    read_now(fields, rule);
    if (rule.now.kind != NumberSource::Kind::none && !is_epoch(rule.unit)) {
        fields.complain("a countdown needs no clock: drop now_header and now_at");
    }
}

void read_wait_text(Fields& fields, WaitRule& rule) {
    rule.source = WaitSource::text;
    rule.pointer = read_pointer(fields, "in").value_or(JsonPointer());
    fields.require("after");
    rule.after = to_lower(fields.text("after").value_or(""));
    if (rule.after.empty() || rule.after.size() > pattern_longest) {
        fields.complain("after", "is not 1 to " + std::to_string(pattern_longest) + " bytes");
    }
    rule.has_pointer = fields.has("in");
    read_wait_unit(fields, rule);
}

WaitRule read_wait(const Node& node, const std::string& what, const Profile& profile,
                   Findings& findings) {
    Fields fields(node, findings, what);
    WaitRule rule;
    rule.place = node.place;
    fields.require("from");
    switch (fields.word("from", {"retry-after", "header", "body", "text", "fixed", "window"})
                .value_or(0)) {
        case 1:
            rule.source = WaitSource::header;
            fields.require("name");
            rule.header = read_header_name(fields, "name");
            read_wait_unit(fields, rule);
            break;
        case 2:
            rule.source = WaitSource::body;
            fields.require("at");
            rule.pointer = read_pointer(fields, "at").value_or(JsonPointer());
            rule.has_pointer = true;
            read_wait_unit(fields, rule);
            break;
        case 3:
            read_wait_text(fields, rule);
            break;
        case 4:
            rule.source = WaitSource::fixed;
            fields.require("wait");
            rule.fixed = fields.duration("wait").value_or(std::chrono::seconds(1));
            if (rule.fixed.count() == 0) fields.complain("wait", "is 0; that is no wait");
            break;
        case 5:
            rule.source = WaitSource::fixed;
            fields.require("limit");
            rule.window_of = read_limit_name(fields, "limit", profile);
            break;
        default:
            rule.source = WaitSource::retry_after;
            break;
    }
    fields.finish();
    return rule;
}

Scope default_scope(Action action) {
    return action == Action::pause || action == Action::ban ? Scope::address : Scope::request;
}

void read_conditions(Fields& fields, const Profile& profile, Signal& signal) {
    signal.statuses = read_statuses(fields);
    signal.header = read_header_name(fields, "header");
    signal.header_absent = read_header_name(fields, "header_absent");
    signal.header_text = read_pattern(fields, "header_text");
    if (signal.header_text && signal.header.empty()) {
        fields.complain("header_text", "needs header, whose value it is");
    }
    signal.body = read_pointer(fields, "body");
    signal.equals = read_literals(fields, "equals");
    if (!signal.equals.empty() && !signal.body) fields.complain("equals", "needs body");
    signal.text = read_pattern(fields, "text");
    signal.text_in = read_pointer(fields, "text_in");
    if (signal.text_in && !signal.text) fields.complain("text_in", "needs text");
    signal.frame = fields.boolean("frame");
    signal.operations = read_operation_list(fields, profile);
    if (!fields.has("status") && !fields.has("header") && !fields.has("header_absent") &&
        !fields.has("body") && !fields.has("text") && !fields.has("frame")) {
        fields.complain("has no condition: status, frame, header, header_absent, body or text");
    }
}

void read_meaning(Fields& fields, const Profile& profile, Signal& signal, Findings& findings) {
    fields.require("action");
    if (const auto action =
            fields.word("action", {"ok", "retry-later", "pause", "ban", "unknown-outcome",
                                   "rejected", "auth", "overload"})) {
        signal.action = static_cast<Action>(*action);
    }
    signal.scope = default_scope(signal.action);
    if (const auto scope = fields.word("scope", {"request", "key", "address"})) {
        signal.scope = static_cast<Scope>(*scope);
    }
    signal.per = fields.text("per").value_or("");
    signal.waits = read_waits(fields, profile, findings);
    signal.takes_longest = fields.boolean("longest").value_or(profile.takes_longest);
    signal.at_least = fields.duration("at_least").value_or(std::chrono::nanoseconds(0));
    signal.is_charged = fields.boolean("charged").value_or(true);
    signal.is_duplicate = fields.boolean("duplicate").value_or(false);
    if (const Node* node = fields.take("partly_done"); node != nullptr) {
        Fields part(*node, findings, fields.what() + ": partly_done");
        part.require("at");
        part.require("equals");
        signal.partly_done = read_pointer(part, "at");
        signal.partly_done_equals = read_literals(part, "equals");
        part.finish();
    }
}

Signal read_signal(const Node& node, std::size_t number, const Profile& profile,
                   Findings& findings) {
    const Node* name = node.kind == Node::Kind::table ? node.find("name") : nullptr;
    const bool has_name = name != nullptr && name->kind == Node::Kind::text;
    Fields fields(
        node, findings,
        has_name ? "signal " + in_quotes(name->text) : "signal " + std::to_string(number));
    Signal signal;
    signal.place = node.place;
    signal.provenance = read_provenance(fields, profile.provenance);
    fields.require("name");
    signal.name = fields.text("name").value_or("");
    if (has_name && !is_name(signal.name, 48, "-")) {
        fields.complain("a name is 1 to 48 characters of a-z, 0-9, '-'");
    }
    read_conditions(fields, profile, signal);
    read_meaning(fields, profile, signal, findings);
    fields.finish();
    return signal;
}

}  // namespace

std::vector<WaitRule> read_waits(Fields& fields, const Profile& profile, Findings& findings) {
    const Node* node = fields.take("wait");
    if (node == nullptr) return {};
    std::vector<WaitRule> rules;
    if (node->kind != Node::Kind::array || node->items.empty() || node->items.size() > waits_max) {
        fields.complain("wait", "is not an array of 1 to " + std::to_string(waits_max) +
                                    " tables {from = ...}");
        return rules;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
        rules.push_back(read_wait(node->items[i], fields.what() + ": wait " + std::to_string(i + 1),
                                  profile, findings));
    }
    return rules;
}

void read_signals(const Node& node, Profile& profile, Findings& findings) {
    if (node.kind != Node::Kind::array) {
        findings.add(node.place, "signals: is not an array of tables; write [[signals]]");
        return;
    }
    if (node.items.size() > signals_max) {
        findings.add(node.items[signals_max].place,
                     "signals: at most " + std::to_string(signals_max) + " of them");
        return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        profile.signals.push_back(read_signal(node.items[i], i + 1, profile, findings));
    }
}

}  // namespace ratecoord::venue
