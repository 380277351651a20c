// SPDX-License-Identifier: Apache-2.0
//
// The text of JSON strings.
//
// PROMISE  Nothing is allocated; what does not fit the caller's buffer is left out. A single
//          surrogate becomes U+FFFD.
// SHARING  Pure functions.
#pragma once

#include <array>
#include <string_view>

namespace ratecoord::venue {

struct JsonValue;
struct Literal;

/// Of a body, what patterns and texts are looked for in.
inline constexpr std::size_t text_bytes_max = 4096;
using TextBuffer = std::array<char, text_bytes_max>;

/// Needs a string.
bool equals(const JsonValue& value, std::string_view text) noexcept;
/// Strings and numbers by their text, booleans by their value.
bool equals(const JsonValue& value, const Literal& literal) noexcept;

/// The text of a string or number, at most text_bytes_max of it; `buffer` is used where escapes
/// have to be resolved. Empty for anything else.
std::string_view text_of(const JsonValue& value, TextBuffer& buffer) noexcept;

}  // namespace ratecoord::venue
