// SPDX-License-Identifier: Apache-2.0
#include "venue/profile_parts.hpp"

namespace ratecoord::venue {
namespace {

void read_array(Fields& fields, Feedback& feedback, Findings& findings) {
    if (const auto array = read_pointer(fields, "array")) feedback.array = array->elements();
    fields.require("where");
    fields.require("field");
    feedback.field = JsonPointer::member(fields.text("field").value_or(""));
    const Node* where = fields.take("where");
    if (where == nullptr) return;
    if (where->kind != Node::Kind::table || where->members.empty() || where->members.size() > 8) {
        fields.complain("where", "is not a table of 1 to 8 members");
        return;
    }
    for (const auto& member : where->members) {
        if (auto literal = to_literal(member.value)) {
            feedback.where.push_back({JsonPointer::member(member.key), std::move(*literal)});
        } else {
            findings.add(member.place,
                         fields.what() + ": where." + member.key + " is not a number or string");
        }
    }
}

Feedback read_one(const Node& node, const std::string& what, const Profile& profile,
                  Findings& findings) {
    Fields fields(node, findings, what);
    Feedback feedback;
    feedback.place = node.place;
    feedback.provenance = read_provenance(fields, profile.provenance);
    fields.require("limit");
    feedback.limit = read_limit_name(fields, "limit", profile);
    if (feedback.limit != no_index &&
        profile.limits[feedback.limit].definition.kind == LimitKind::spacing) {
        fields.complain("limit", "is of kind spacing, which has no count");
    }
    fields.require("means");
    feedback.is_remaining = fields.word("means", {"used", "remaining"}).value_or(0) == 1;
    if (int{fields.has("header")} + int{fields.has("body")} + int{fields.has("array")} != 1) {
        fields.complain("needs one of header, body or array");
        for (const auto* key : {"header", "body", "array", "where", "field"}) fields.take(key);
    } else if (fields.has("array")) {
        read_array(fields, feedback, findings);
    } else if (fields.has("header")) {
        feedback.count.header = read_header_name(fields, "header");
        feedback.count.kind = NumberSource::Kind::header;
    } else if (auto pointer = read_pointer(fields, "body")) {
        feedback.count.pointer = std::move(*pointer);
        feedback.count.kind = NumberSource::Kind::body;
    }
    feedback.minus = read_number_source(fields, "minus", findings);
    feedback.reset = read_number_source(fields, "reset", findings, &feedback.reset_unit);
    feedback.frame = fields.boolean("frame");
    feedback.operations = read_operation_list(fields, profile);
    fields.finish();
    return feedback;
}

}  // namespace

void read_feedback(const Node& node, Profile& profile, Findings& findings) {
    if (node.kind != Node::Kind::array) {
        findings.add(node.place, "feedback: is not an array of tables; write [[feedback]]");
        return;
    }
    if (node.items.size() > feedback_max) {
        findings.add(node.items[feedback_max].place,
                     "feedback: at most " + std::to_string(feedback_max) + " entries");
        return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        profile.feedback.push_back(
            read_one(node.items[i], "feedback " + std::to_string(i + 1), profile, findings));
    }
}

}  // namespace ratecoord::venue
