// SPDX-License-Identifier: Apache-2.0
//
// A place in a JSON text (RFC 6901), taken apart once so that looking it up allocates nothing.
//
//     JsonPointer::parse("/error/code")      JsonPointer::parse("/data/*/sCode")
//
// PROMISE  A token '*' stands for every element of an array; a member called "*" cannot be named.
//          At most pointer_tokens_max tokens.
// SHARING  Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ratecoord::venue {

inline constexpr std::size_t pointer_tokens_max = 16;

class JsonPointer {
  public:
    static constexpr std::uint32_t not_an_index = 0xffff'ffff;

    struct Token {
        std::string text;
        std::uint32_t index = not_an_index;
        bool is_star = false;
        bool is_any_member = false;
    };

    /// "" is the whole text; otherwise it starts with '/'. Nothing for what is not a pointer.
    static std::optional<JsonPointer> parse(std::string_view text);

    /// The member of that name of an object, whatever characters it has.
    static JsonPointer member(std::string_view name);
    /// Every member of the object that the text is.
    static JsonPointer members();
    /// Every element of the array this one leads to.
    JsonPointer elements() const;

    const std::string& text() const noexcept { return text_; }
    const std::vector<Token>& tokens() const noexcept { return tokens_; }
    bool has_star() const noexcept { return has_star_; }
    bool operator==(const JsonPointer& other) const noexcept { return text_ == other.text_; }

  private:
    void finish_token();

    std::string text_;
    std::vector<Token> tokens_;
    bool has_star_ = false;
};

}  // namespace ratecoord::venue
