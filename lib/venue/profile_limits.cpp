// SPDX-License-Identifier: Apache-2.0
#include "venue/profile_parts.hpp"

namespace ratecoord::venue {
namespace {

/// "5%"; 0 to 90.
std::optional<std::uint32_t> to_percent(std::string_view text) {
    if (text.size() < 2 || text.size() > 3 || text.back() != '%') return std::nullopt;
    text.remove_suffix(1);
    std::uint32_t percent = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        percent = percent * 10 + static_cast<std::uint32_t>(c - '0');
    }
    if (percent > 90) return std::nullopt;
    return percent;
}

Limit read_limit(const Member& member, const Profile& profile, Findings& findings) {
    Fields fields(member.value, findings, "limit " + in_quotes(member.key));
    Limit limit;
    limit.place = member.place;
    limit.provenance = read_provenance(fields, profile.provenance);
    LimitDefinition& d = limit.definition;
    d.name = member.key;
    if (!is_name(member.key, 31, "_.-")) {
        fields.complain("a name is 1 to 31 characters of a-z, 0-9, '_', '-', '.'");
    }
    fields.require("kind");
    if (const auto kind = fields.word("kind", {"bucket", "rolling", "fixed", "spacing"})) {
        d.kind = static_cast<LimitKind>(*kind + 1);
    }
    if (d.kind == LimitKind::spacing) d.quota = 1;
    if (d.kind != LimitKind::spacing) fields.require("quota");
    if (const auto quota = fields.number("quota", 1, units_max)) d.quota = *quota;
    fields.require("window");
    if (const auto window = fields.duration("window")) d.window = *window;
    if (const auto burst = fields.number("burst", 1, units_max)) d.burst = *burst;
    if (const auto slack = fields.duration("slack")) d.slack = *slack;
    if (auto per = fields.text("per")) {
        if (!is_name(*per, 15, "_.-")) {
            fields.complain(
                "per", in_quotes(*per) + " is not 1 to 15 characters of a-z, 0-9, '_', '-', '.'");
        } else {
            d.per = std::move(*per);
        }
    }
    if (const auto reserve = fields.text("reserve")) {
        const auto percent = to_percent(*reserve);
        if (!percent) fields.complain("reserve", in_quotes(*reserve) + " is not \"0%\" to \"90%\"");
        d.reserve_percent = percent.value_or(0);
    }
    if (const auto spread = fields.boolean("spread")) d.spread = *spread;
    fields.finish();
    return limit;
}

}  // namespace

void read_limits(const Node& node, Profile& profile, Findings& findings) {
    if (node.kind != Node::Kind::table || node.members.empty()) {
        findings.add(node.place, "limits: is not a table of limits");
        return;
    }
    if (node.members.size() > limits_max) {
        findings.add(node.members[limits_max].place,
                     "limits: " + std::to_string(node.members.size()) + " of them; at most " +
                         std::to_string(limits_max));
        return;
    }
    for (const auto& member : node.members) {
        profile.limits.push_back(read_limit(member, profile, findings));
    }
}

}  // namespace ratecoord::venue
