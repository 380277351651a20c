// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "venue/profile_parts.hpp"

namespace ratecoord::venue {
namespace {

constexpr std::size_t header_longest = 128;

bool is_header_name(std::string_view text) {
    return !text.empty() && text.size() <= header_longest &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return c > ' ' && c < 0x7f && c != ':' && c != ',' && c != ';' && c != '"';
           });
}

std::vector<std::string_view> names_of(const std::vector<Limit>& limits) {
    std::vector<std::string_view> names;
    names.reserve(limits.size());
    for (const auto& limit : limits) names.push_back(limit.definition.name);
    return names;
}

std::vector<std::string_view> names_of(const std::vector<Operation>& operations) {
    std::vector<std::string_view> names;
    names.reserve(operations.size());
    for (const auto& operation : operations) names.push_back(operation.name);
    return names;
}

}  // namespace

Provenance read_provenance(Fields& fields, const Provenance& of_file) {
    Provenance provenance = of_file;
    provenance.note.clear();
    if (auto date = fields.date("as_of")) provenance.as_of = *date;
    if (auto source = fields.text("source")) provenance.source = *source;
    if (auto note = fields.text("note")) provenance.note = *note;
    if (const auto grade = fields.word("confidence", {"A", "B", "C"})) {
        provenance.confidence = static_cast<char>('A' + *grade);
    }
    return provenance;
}

std::optional<JsonPointer> read_pointer(Fields& fields, std::string_view key) {
    const auto text = fields.text(key);
    if (!text) return std::nullopt;
    auto pointer = JsonPointer::parse(*text);
    if (!pointer) {
        fields.complain(key, in_quotes(*text) +
                                 " is not a JSON pointer: empty, or '/' before each "
                                 "of at most 16 names");
    }
    return pointer;
}

std::string read_header_name(Fields& fields, std::string_view key) {
    const auto text = fields.text(key);
    if (!text) return {};
    if (!is_header_name(*text)) {
        fields.complain(key, in_quotes(*text) + " is not the name of a header");
        return {};
    }
    return to_lower(*text);
}

std::optional<Pattern> read_pattern(Fields& fields, std::string_view key) {
    const auto text = fields.text(key);
    if (!text) return std::nullopt;
    if (text->size() > pattern_longest) {
        fields.complain(key, "is longer than " + std::to_string(pattern_longest) + " bytes");
        return std::nullopt;
    }
    return Pattern(*text);
}

std::optional<Literal> to_literal(const Node& node) {
    switch (node.kind) {
        case Node::Kind::text:
            return Literal{node.text, false};
        case Node::Kind::integer:
            return Literal{std::to_string(node.integer), false};
        case Node::Kind::boolean:
            return Literal{node.integer != 0 ? "true" : "false", true};
        default:
            return std::nullopt;
    }
}

std::vector<Literal> read_literals(Fields& fields, std::string_view key) {
    const Node* node = fields.take(key);
    if (node == nullptr) return {};
    std::vector<Literal> literals;
    if (node->kind == Node::Kind::array) {
        for (const auto& item : node->items) {
            if (auto literal = to_literal(item)) literals.push_back(std::move(*literal));
        }
        if (literals.size() == node->items.size() && !literals.empty()) return literals;
    } else if (auto literal = to_literal(*node)) {
        return {std::move(*literal)};
    }
    fields.complain(key, "is not a number, string or boolean, or an array of them");
    return {};
}

std::vector<std::uint16_t> read_operation_list(Fields& fields, const Profile& profile) {
    std::vector<std::uint16_t> indices;
    for (const auto& name : fields.texts("operations")) {
        const auto index = profile.find_operation(name);
        if (index == no_index) {
            fields.complain("operations", "names the unknown operation " + in_quotes(name) +
                                              suggestion(name, names_of(profile.operations)));
        } else {
            indices.push_back(index);
        }
    }
    return indices;
}

std::uint16_t read_limit_name(Fields& fields, std::string_view key, const Profile& profile) {
    const auto name = fields.text(key);
    if (!name) return no_index;
    const auto index = profile.find_limit(*name);
    if (index == no_index) {
        fields.complain(key, "names the unknown limit " + in_quotes(*name) +
                                 suggestion(*name, names_of(profile.limits)));
    }
    return index;
}

std::optional<Unit> read_unit(Fields& fields, std::string_view key) {
    const auto index =
        fields.word(key, {"epoch-s", "epoch-ms", "epoch-us", "countdown-s", "countdown-ms"});
    if (!index) return std::nullopt;
    return static_cast<Unit>(*index);
}

NumberSource read_number_source(Fields& fields, std::string_view key, Findings& findings,
                                Unit* unit) {
    NumberSource source;
    const Node* node = fields.take(key);
    if (node == nullptr) return source;
    Fields inner(*node, findings, fields.what() + ": " + std::string(key));
    if (inner.has("header") == inner.has("body")) inner.complain("needs either header or body");
    source.header = read_header_name(inner, "header");
    if (!source.header.empty()) source.kind = NumberSource::Kind::header;
    if (auto pointer = read_pointer(inner, "body")) {
        source.kind = NumberSource::Kind::body;
        source.pointer = std::move(*pointer);
    }
    if (unit != nullptr) {
        inner.require("unit");
        if (const auto given = read_unit(inner, "unit")) *unit = *given;
    }
    inner.finish();
    return source;
}

}  // namespace ratecoord::venue
