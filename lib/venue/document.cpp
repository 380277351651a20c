// SPDX-License-Identifier: Apache-2.0
//
// The only file that knows toml++ (decision 0015).
#include "venue/document.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

// toml++ asserts that a table's header begins with a key and, with NDEBUG, has the compiler believe
// it, though the text may say anything. Behind the assertion it checks, so the assertion goes.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
// A program that links us may have another toml++ in it: ours has a name of its own.
#define toml ratecoord_toml
#include <toml++/toml.h>

namespace ratecoord::venue {
namespace {

static_assert(TOML_MAX_NESTED_VALUES == document_depth_max);

std::uint32_t line_of(const toml::source_region& source) {
    return static_cast<std::uint32_t>(source.begin.line);
}

std::string deeper_than_allowed() {
    return "nested deeper than " + std::to_string(document_depth_max) + " levels";
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

/// Finds what toml++ must not be shown: keys of too many parts ([a.a.a...] nests without a bracket,
/// and toml++ bounds brackets only), and bytes beyond ASCII outside of comments (its tables of
/// blanks are undefined for some characters). Strings and comments are told apart as in TOML; where
/// they are broken, more counts as string, and toml++ stops anyway.
class Scan {
  public:
    struct Offence {
        std::uint32_t line = 0;
        std::string reason;
    };

    explicit Scan(std::string_view text) : text_(text) {}

    std::optional<Offence> run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"' || c == '\'') {
                skip_string(c);
            } else if (c == '#') {
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
                continue;
            } else if (c == '\n') {
                ++line_;
            }
            if (at_ >= text_.size()) break;
            if (is_foreign(text_[at_])) {
                return Offence{line_,
                               "a character beyond ASCII outside of a comment; write its \\u code"};
            }
            if (c == '.' && ++dots_ >= document_depth_max) {
                return Offence{line_, deeper_than_allowed()};
            }
            if (is_delimiter(c)) dots_ = 0;
            ++at_;
        }
        return std::nullopt;
    }

  private:
    static bool is_foreign(char c) { return static_cast<unsigned char>(c) > 0x7f; }
    static bool is_delimiter(char c) {
        return c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
    }

    /// To the closing quote, to the end of the line of a broken string, or to a foreign byte.
    void skip_string(char quote) {
        const std::string three(3, quote);
        const bool is_long = text_.substr(at_).starts_with(three);
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size() && !is_foreign(text_[at_])) {
            const char c = text_[at_];
            if (c == '\n') {
                ++line_;
                if (!is_long) return;
            } else if (c == '\\' && quote == '"' && at_ + 1 < text_.size() &&
                       text_[at_ + 1] != '\n' && !is_foreign(text_[at_ + 1])) {
                ++at_;
            } else if (c == quote && (!is_long || text_.substr(at_).starts_with(three))) {
                if (is_long) skip_closing(quote);
                return;
            }
            ++at_;
        }
    }

    /// Onto the last of three quotes, before which up to two more may stand.
    void skip_closing(char quote) {
        std::size_t quotes = 0;
        while (quotes < 5 && at_ + quotes < text_.size() && text_[at_ + quotes] == quote) ++quotes;
        at_ += quotes - 1;
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
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (auto offence = Scan(text).run()) {
        findings.add({file, offence->line}, std::move(offence->reason));
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
        findings.add({file, 1}, deeper_than_allowed());
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
