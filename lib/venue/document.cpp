// SPDX-License-Identifier: Apache-2.0
//
// The only file that knows toml++ (decision 0011).
#include "venue/document.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>
#include <algorithm>
#include <cstdio>
#include <utility>

namespace ratecoord::venue {
namespace {

static_assert(TOML_MAX_NESTED_VALUES == document_depth_max);

std::uint32_t line_of(const toml::source_region& source) {
    return static_cast<std::uint32_t>(source.begin.line);
}

std::string date_text(const toml::date& date) {
    char text[32];
    std::snprintf(text, sizeof text, "%04u-%02u-%02u", unsigned{date.year}, unsigned{date.month},
                  unsigned{date.day});
    return text;
}

Node convert(const toml::node& from, std::uint16_t file);

void convert_members(const toml::table& from, std::uint16_t file, Node& node) {
    node.members.reserve(from.size());
    for (const auto& [key, value] : from) {
        node.members.push_back(
            {std::string(key.str()), {file, line_of(key.source())}, convert(value, file)});
    }
    // toml++ sorts by name; two members on one line stay so.
    std::stable_sort(node.members.begin(), node.members.end(),
                     [](const Member& a, const Member& b) { return a.place.line < b.place.line; });
}

Node convert(const toml::node& from, std::uint16_t file) {
    Node node;
    node.place = {file, line_of(from.source())};
    if (const auto* table = from.as_table()) {
        node.kind = Node::Kind::table;
        convert_members(*table, file, node);
    } else if (const auto* array = from.as_array()) {
        node.kind = Node::Kind::array;
        node.items.reserve(array->size());
        for (const auto& item : *array) node.items.push_back(convert(item, file));
    } else if (const auto* text = from.as_string()) {
        node.kind = Node::Kind::text;
        node.text = text->get();
    } else if (const auto* integer = from.as_integer()) {
        node.kind = Node::Kind::integer;
        node.integer = integer->get();
    } else if (const auto* boolean = from.as_boolean()) {
        node.kind = Node::Kind::boolean;
        node.integer = boolean->get() ? 1 : 0;
    } else if (const auto* date = from.as_date()) {
        node.kind = Node::Kind::date;
        node.text = date_text(date->get());
    }
    return node;
}

/// Finds keys of too many parts: [a.a.a...] nests without a bracket, and toml++ bounds brackets
/// only. It reads strings and comments as TOML does; where they are broken, toml++ stops anyway.
class DepthScan {
  public:
    explicit DepthScan(std::string_view text) : text_(text) {}

    /// Line of the first key that is too deep; 0 if there is none.
    std::uint32_t run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"' || c == '\'') {
                skip_string(c);
                continue;
            }
            if (c == '#') {
                skip_to_line_end();
                continue;
            }
            if (c == '\n') ++line_;
            if (c == '.') {
                if (++dots_ >= document_depth_max) return line_;
            } else if (is_delimiter(c)) {
                dots_ = 0;
            }
            ++at_;
        }
        return 0;
    }

  private:
    static bool is_delimiter(char c) {
        return c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
    }

    void skip_to_line_end() {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }

    void skip_string(char quote) {
        const std::string three(3, quote);
        const bool is_long = text_.substr(at_).starts_with(three);
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                if (!is_long) return;
                ++line_;
            } else if (c == '\\' && quote == '"') {
                if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
            } else if (c == quote && !is_long) {
                ++at_;
                return;
            } else if (c == quote && text_.substr(at_).starts_with(three)) {
                at_ += 3;
                // Up to two quotes may stand before the closing three.
                for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) {
                    ++at_;
                }
                return;
            }
            ++at_;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t dots_ = 0;
    std::uint32_t line_ = 1;
};

std::string one_line(std::string_view text) {
    std::string line(text.substr(0, 200));
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return line;
}

std::size_t depth_of(const Node& node) {
    std::size_t deepest = 0;
    for (const auto& member : node.members) deepest = std::max(deepest, depth_of(member.value));
    for (const auto& item : node.items) deepest = std::max(deepest, depth_of(item));
    return deepest + 1;
}

const Node* widest(const Node& node) {
    const Node* found = &node;
    const auto width = [](const Node& n) { return std::max(n.members.size(), n.items.size()); };
    const auto look = [&](const Node& child) {
        const Node* other = widest(child);
        if (width(*other) > width(*found)) found = other;
    };
    for (const auto& member : node.members) look(member.value);
    for (const auto& item : node.items) look(item);
    return found;
}

}  // namespace

const Node* Node::find(std::string_view key) const noexcept {
    for (const auto& member : members) {
        if (member.key == key) return &member.value;
    }
    return nullptr;
}

std::optional<Node> read_document(std::string_view text, std::uint16_t file, Findings& findings) {
    if (text.size() > document_bytes_max) {
        findings.add({file, 0}, "has " + std::to_string(text.size()) + " bytes; at most " +
                                    std::to_string(document_bytes_max) + " are read");
        return std::nullopt;
    }
    const std::string too_deep =
        "nested deeper than " + std::to_string(document_depth_max) + " levels";
    if (const auto line = DepthScan(text).run(); line != 0) {
        findings.add({file, line}, too_deep);
        return std::nullopt;
    }
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
        findings.add({file, line_of(parsed.error().source())},
                     "not TOML: " + one_line(parsed.error().description()));
        return std::nullopt;
    }
    Node root = convert(parsed.table(), file);
    root.place = {file, 1};
    if (depth_of(root) > document_depth_max) {
        findings.add({file, 1}, too_deep);
        return std::nullopt;
    }
    if (const Node* wide = widest(root);
        std::max(wide->members.size(), wide->items.size()) > document_width_max) {
        findings.add(wide->place, "more than " + std::to_string(document_width_max) +
                                      " entries in one table or array");
        return std::nullopt;
    }
    return root;
}

Node merge(Node base, Node over) {
    if (base.kind != Node::Kind::table || over.kind != Node::Kind::table) return over;
    for (auto& member : over.members) {
        const auto known = std::find_if(base.members.begin(), base.members.end(),
                                        [&](const Member& m) { return m.key == member.key; });
        if (known == base.members.end()) {
            base.members.push_back(std::move(member));
        } else {
            known->place = member.place;
            known->value = merge(std::move(known->value), std::move(member.value));
        }
    }
    base.place = over.place;
    return base;
}

}  // namespace ratecoord::venue
