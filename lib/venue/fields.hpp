// SPDX-License-Identifier: Apache-2.0
//
// One table of a profile, read key by key.
//
// PROMISE  What has the wrong type or range becomes a finding at its own line and reads as if it
//          were not written. finish() reports every key that nobody asked for.
// SHARING  One reader.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "venue/document.hpp"
#include "venue/finding.hpp"

namespace ratecoord::venue {

class Fields {
  public:
    /// `what` names the table in messages: "limit 'weight'". Anything but a table is a finding and
    /// reads as an empty one.
    Fields(const Node& node, Findings& findings, std::string what);

    bool has(std::string_view key) const noexcept { return table_->find(key) != nullptr; }
    /// The value, whatever it is; nullptr if it is not written. The key counts as known.
    const Node* take(std::string_view key);

    std::optional<std::string> text(std::string_view key);
    /// One of `words`, as its index.
    std::optional<std::size_t> word(std::string_view key,
                                    std::initializer_list<std::string_view> words);
    std::optional<bool> boolean(std::string_view key);
    std::optional<std::uint64_t> number(std::string_view key, std::uint64_t least,
                                        std::uint64_t most);
    std::optional<std::chrono::nanoseconds> duration(std::string_view key);
    std::optional<std::string> date(std::string_view key);
    /// One string, or an array of them.
    std::vector<std::string> texts(std::string_view key);

    /// A finding at the key's line, or at the table's where it is not written.
    void complain(std::string_view key, const std::string& why);
    /// A finding at the table's line.
    void complain(const std::string& why);
    /// A finding if the key is not there.
    void require(std::string_view key);
    void finish();

    Place place() const noexcept { return table_->place; }
    const std::string& what() const noexcept { return what_; }

  private:
    const Node* typed(std::string_view key, Node::Kind kind, std::string_view type);

    const Node* table_;
    Findings& findings_;
    std::string what_;
    std::vector<std::string_view> known_;
};

/// 1 to `longest` characters of a-z, 0-9 and those of `also`.
bool is_name(std::string_view text, std::size_t longest, std::string_view also);

/// " (did you mean 'x'?)" for a near miss, else nothing.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace ratecoord::venue
