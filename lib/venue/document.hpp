// SPDX-License-Identifier: Apache-2.0
//
// A TOML file as a tree that remembers its lines.
//
// PROMISE  D1  Members stand in the order of the file.
//          D2  Files above document_bytes_max and nesting above document_depth_max are refused
//              before anything recurses on them; no table or array has more than
//              document_width_max entries.
//          D3  merge(): tables member by member, anything else replaced; each keeps its own line.
//          D4  Beyond ASCII only in comments; texts write such characters as \u escapes.
// ERRORS   The first thing that is not TOML, as a Finding.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "venue/finding.hpp"

namespace ratecoord::venue {

inline constexpr std::size_t document_bytes_max = 1'000'000;
inline constexpr std::size_t document_depth_max = 16;
inline constexpr std::size_t document_width_max = 512;

struct Member;

struct Node {
    enum class Kind : std::uint8_t { table, array, text, integer, boolean, date, other };

    Kind kind = Kind::other;
    Place place;
    std::string text;          ///< text; a date as 2026-07-21
    std::int64_t integer = 0;  ///< integer; a boolean as 0 or 1
    std::vector<Member> members;
    std::vector<Node> items;

    /// Needs a table; nullptr if it has no such member.
    const Node* find(std::string_view key) const noexcept;
};

struct Member {
    std::string key;
    Place place;
    Node value;
};

/// Nothing where `findings` says why.
std::optional<Node> read_document(std::string_view text, std::uint16_t file, Findings& findings);

/// D3. `over` wins.
Node merge(Node base, Node over);

}  // namespace ratecoord::venue
