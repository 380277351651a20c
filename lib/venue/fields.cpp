// SPDX-License-Identifier: Apache-2.0
#include "venue/fields.hpp"

#include <algorithm>

#include "venue/duration.hpp"

namespace ratecoord::venue {
namespace {

const Node& empty_table() {
    static const Node node = [] {
        Node table;
        table.kind = Node::Kind::table;
        return table;
    }();
    return node;
}

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] =
                std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace

bool is_name(std::string_view text, std::size_t longest, std::string_view also) {
    return !text.empty() && text.size() <= longest &&
           std::all_of(text.begin(), text.end(), [&](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                      also.find(c) != std::string_view::npos;
           });
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
    constexpr std::size_t longest = 40;
    if (word.size() > longest) return {};
    std::string_view best;
    std::size_t nearest = 3;
    for (const auto candidate : known) {
        if (candidate.size() > longest) continue;
        const auto away = distance(word, candidate);
        if (away < nearest && away < candidate.size()) {
            nearest = away;
            best = candidate;
        }
    }
    return best.empty() ? std::string() : " (did you mean '" + std::string(best) + "'?)";
}

Fields::Fields(const Node& node, Findings& findings, std::string what)
    : table_(&node), findings_(findings), what_(std::move(what)) {
    if (node.kind == Node::Kind::table) return;
    findings_.add(node.place, what_ + ": is not a table");
    table_ = &empty_table();
}

const Node* Fields::take(std::string_view key) {
    known_.push_back(key);
    return table_->find(key);
}

const Node* Fields::typed(std::string_view key, Node::Kind kind, std::string_view type) {
    const Node* node = take(key);
    if (node == nullptr || node->kind == kind) return node;
    complain(key, "is not " + std::string(type));
    return nullptr;
}

std::optional<std::string> Fields::text(std::string_view key) {
    const Node* node = typed(key, Node::Kind::text, "a string");
    if (node == nullptr) return std::nullopt;
    return node->text;
}

std::optional<std::size_t> Fields::word(std::string_view key,
                                        std::initializer_list<std::string_view> words) {
    const auto given = text(key);
    if (!given) return std::nullopt;
    const auto found = std::find(words.begin(), words.end(), *given);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    std::string all;
    for (const auto word : words) all += (all.empty() ? "" : ", ") + std::string(word);
    complain(key, in_quotes(*given) + " is none of: " + all);
    return std::nullopt;
}

std::optional<bool> Fields::boolean(std::string_view key) {
    const Node* node = typed(key, Node::Kind::boolean, "true or false");
    if (node == nullptr) return std::nullopt;
    return node->integer != 0;
}

std::optional<std::uint64_t> Fields::number(std::string_view key, std::uint64_t least,
                                            std::uint64_t most) {
    const Node* node = typed(key, Node::Kind::integer, "a whole number");
    if (node == nullptr) return std::nullopt;
    const auto value = static_cast<std::uint64_t>(node->integer);
    if (node->integer < 0 || value < least || value > most) {
        complain(key, std::to_string(node->integer) + " is not between " + std::to_string(least) +
                          " and " + std::to_string(most));
        return std::nullopt;
    }
    return value;
}

std::optional<std::chrono::nanoseconds> Fields::duration(std::string_view key) {
    const auto given = text(key);
    if (!given) return std::nullopt;
    const auto duration = parse_duration(*given);
    if (!duration) {
        complain(key, in_quotes(*given) + " is not a duration like \"250ms\", \"10s\", \"1m30s\"");
    }
    return duration;
}

std::optional<std::string> Fields::date(std::string_view key) {
    const Node* node = typed(key, Node::Kind::date, "a date like 2026-07-21, without quotes");
    if (node == nullptr) return std::nullopt;
    return node->text;
}

std::vector<std::string> Fields::texts(std::string_view key) {
    const Node* node = take(key);
    if (node == nullptr) return {};
    if (node->kind == Node::Kind::text) return {node->text};
    std::vector<std::string> all;
    if (node->kind == Node::Kind::array) {
        for (const auto& item : node->items) {
            if (item.kind != Node::Kind::text) break;
            all.push_back(item.text);
        }
    }
    if (all.empty() || all.size() != node->items.size()) {
        complain(key, "is not a string or an array of strings");
        return {};
    }
    return all;
}

void Fields::complain(std::string_view key, const std::string& why) {
    if (table_ == &empty_table()) return;  // said already
    const Node* node = table_->find(key);
    findings_.add(node != nullptr ? node->place : table_->place,
                  what_ + ": " + std::string(key) + " " + why);
}

void Fields::complain(const std::string& why) {
    if (table_ == &empty_table()) return;
    findings_.add(table_->place, what_ + ": " + why);
}

void Fields::require(std::string_view key) {
    if (!has(key)) complain("needs " + std::string(key));
}

void Fields::finish() {
    for (const auto& member : table_->members) {
        if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
        findings_.add(member.place, what_ + ": unknown key " + in_quotes(member.key) +
                                        suggestion(member.key, known_));
    }
}

}  // namespace ratecoord::venue
