// SPDX-License-Identifier: Apache-2.0
//
// Globs over text: '*' is any run of bytes, '?' any one byte, everything else itself.
//
// PROMISE  Letters of ASCII match without regard to case, whatever the locale. Time is at most
//          text x longest piece between two stars; it goes back to the last star only.
// SHARING  Values; matching allocates nothing.
#pragma once

#include <string>
#include <string_view>

namespace ratecoord::venue {

inline constexpr std::size_t pattern_longest = 256;

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string to_lower(std::string_view text);
/// `lowered` must be lower case already.
bool equal_ignoring_case(std::string_view text, std::string_view lowered) noexcept;

class Pattern {
  public:
    Pattern() = default;
    /// Needs at most pattern_longest bytes.
    explicit Pattern(std::string_view text) : lowered_(to_lower(text)) {}

    /// The whole of `text`.
    bool matches(std::string_view text) const noexcept;
    const std::string& text() const noexcept { return lowered_; }
    bool operator==(const Pattern&) const = default;

  private:
    std::string lowered_;
};

}  // namespace ratecoord::venue
