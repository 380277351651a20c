// SPDX-License-Identifier: Apache-2.0
#include "venue/profile_reader.hpp"

#include <algorithm>
#include <bitset>
#include <utility>

#include "venue/document.hpp"
#include "venue/profile_parts.hpp"

namespace ratecoord::venue {
namespace {

constexpr std::size_t bases_max = 4;

/// The text's tree with everything it extends merged below it.
class Chain {
  public:
    Chain(const FetchProfile& fetch, Findings& findings) : fetch_(fetch), findings_(findings) {}

    std::optional<Node> read(const ProfileText& text) {
        const auto file = findings_.add_file(text.file);
        auto node = read_document(text.text, file, findings_);
        if (!node) return std::nullopt;
        return complete(std::move(*node));
    }

    std::optional<Node> complete(Node node) {
        const Node* name = node.find("name");
        if (name != nullptr) names_.push_back(name->text);
        const Node* base = node.find("extends");
        if (base == nullptr) return node;
        auto below = read_base(*base);
        if (!below) return std::nullopt;
        std::erase_if(node.members, [](const Member& m) { return m.key == "extends"; });
        return merge(std::move(*below), std::move(node));
    }

  private:
    std::optional<Node> read_base(const Node& base) {
        const auto refuse = [&](const std::string& why) {
            findings_.add(base.place, "extends " + in_quotes(base.text) + ": " + why);
            return std::nullopt;
        };
        if (base.kind != Node::Kind::text) return refuse("is not the name of a profile");
        if (std::find(names_.begin(), names_.end(), base.text) != names_.end()) {
            return refuse("a cycle; it comes back to itself");
        }
        if (names_.size() > bases_max) return refuse("too long a chain");
        names_.push_back(base.text);
        if (!fetch_) return refuse("cannot be looked up here");
        auto fetched = fetch_(base.text);
        if (!fetched.found) return refuse(fetched.problem);
        return read(*fetched.found);
    }

    const FetchProfile& fetch_;
    Findings& findings_;
    std::vector<std::string> names_;
};

/// "A-Za-z0-9._:/-" as the characters it stands for; nothing if it is not such a set.
std::optional<std::string> expand_characters(std::string_view set) {
    std::bitset<128> chosen;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const char first = set[i];
        const bool is_range = i + 2 < set.size() && set[i + 1] == '-';
        const char last = is_range ? set[i + 2] : first;
        if (first <= ' ' || last >= 0x7f || first > last) return std::nullopt;
        for (char c = first; c <= last; ++c) chosen.set(static_cast<std::size_t>(c));
        if (is_range) i += 2;
    }
    std::string characters;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        if (chosen.test(c)) characters += static_cast<char>(c);
    }
    if (characters.empty()) return std::nullopt;
    return characters;
}

void read_order_id(const Node& node, OrderRules& orders, Findings& findings) {
    Fields fields(node, findings, "order_id");
    if (const auto set = fields.text("charset")) {
        const auto characters = expand_characters(*set);
        if (!characters)
            fields.complain("charset", in_quotes(*set) + " is not like \"A-Za-z0-9_-\"");
        orders.id_characters = characters.value_or("");
    }
    orders.id_longest = static_cast<std::uint32_t>(fields.number("max", 1, 256).value_or(0));
    if (const auto word = fields.word("unique", {"unknown", "open", "always", "never"})) {
        orders.uniqueness = static_cast<IdUniqueness>(*word);
    }
    fields.finish();
}

void read_head(Fields& fields, Profile& profile, Findings& findings) {
    fields.require("schema");
    fields.number("schema", 1, 1);
    for (const auto* key : {"name", "title", "as_of", "source", "confidence"}) fields.require(key);
    profile.name = fields.text("name").value_or("");
    if (!profile.name.empty() && !is_name(profile.name, 48, "-")) {
        fields.complain("name", "is not 1 to 48 characters of a-z, 0-9, '-'");
    }
    profile.budget = fields.text("budget").value_or(profile.name);
    if (fields.has("budget") && !is_name(profile.budget, 48, "-")) {
        fields.complain("budget", "is not 1 to 48 characters of a-z, 0-9, '-'");
    }
    profile.title = fields.text("title").value_or("");
    profile.provenance = read_provenance(fields, Provenance());
    profile.hosts = fields.texts("hosts");
    profile.orders.settle = fields.duration("settle").value_or(std::chrono::nanoseconds(0));
    profile.orders.visible_within =
        fields.duration("visible_within").value_or(std::chrono::nanoseconds(0));
    profile.orders.resend_within =
        fields.duration("resend_within").value_or(std::chrono::nanoseconds(0));
    if (const Node* node = fields.take("order_id")) {
        read_order_id(*node, profile.orders, findings);
    }
    profile.frame_status = read_pointer(fields, "frame_status");
    profile.has_firewall_403 = fields.boolean("firewall_403").value_or(false);
    if (const auto longest = fields.duration("longest_wait")) {
        profile.longest_wait = *longest;
        if (*longest < std::chrono::minutes(1) || *longest > std::chrono::hours(24 * 366)) {
            fields.complain("longest_wait", "is not between 1m and 366d");
        }
    }
}

}  // namespace

std::uint16_t Profile::find_limit(std::string_view wanted) const noexcept {
    const auto found = std::find_if(limits.begin(), limits.end(), [&](const Limit& limit) {
        return limit.definition.name == wanted;
    });
    return found == limits.end() ? no_index : static_cast<std::uint16_t>(found - limits.begin());
}

std::uint16_t Profile::find_operation(std::string_view wanted) const noexcept {
    const auto found =
        std::find_if(operations.begin(), operations.end(),
                     [&](const Operation& operation) { return operation.name == wanted; });
    return found == operations.end() ? no_index
                                     : static_cast<std::uint16_t>(found - operations.begin());
}

namespace {

/// Needs a tree with nothing left to extend.
std::optional<Profile> read_tree(const Node& node, Findings& findings) {
    Profile profile;
    profile.files = findings.files();
    profile.file = profile.files.at(0);
    Fields fields(node, findings, "profile");
    read_head(fields, profile, findings);
    fields.require("limits");
    if (const Node* limits = fields.take("limits")) read_limits(*limits, profile, findings);
    if (const Node* operations = fields.take("operations")) {
        read_operations(*operations, profile, findings);
    }
    profile.waits = read_waits(fields, profile, findings);
    profile.takes_longest = fields.boolean("longest").value_or(false);
    if (const Node* feedback = fields.take("feedback")) read_feedback(*feedback, profile, findings);
    if (const Node* signals = fields.take("signals")) read_signals(*signals, profile, findings);
    fields.finish();
    if (findings.empty()) check_profile(profile, findings);
    if (!findings.empty()) return std::nullopt;
    return profile;
}

}  // namespace

std::optional<Profile> read_profile(const ProfileText& text, const FetchProfile& fetch,
                                    Findings& findings) {
    const auto node = Chain(fetch, findings).read(text);
    if (!node) return std::nullopt;
    return read_tree(*node, findings);
}

std::optional<Profile> read_profile(Node table, const FetchProfile& fetch, Findings& findings) {
    const auto node = Chain(fetch, findings).complete(std::move(table));
    if (!node) return std::nullopt;
    return read_tree(*node, findings);
}

}  // namespace ratecoord::venue
