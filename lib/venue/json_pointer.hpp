// SPDX-License-Identifier: Apache-2.0
//
// A value of a JSON text by its pointer (RFC 6901), without a tree.
//
//     find(R"({"error":{"code":-1003}})", *JsonPointer::parse("/error/code"))   ->  number, "-1003"
//
// PROMISE  J1  One pass, no allocation, no recursion. It looks at body_bytes_max at most and gives
//              up below depth_max levels.
//          J2  What is passed on the way is checked against RFC 8259, what lies behind the value is
//              not: a reply that was cut off still tells its code. Bytes above 0x7f are taken as
//              they are.
//          J3  Of two members with one name the first counts.
//          J4  A token '*' stands for any element of an array: find_each visits all of them.
// SHARING  Pure functions.
// SOURCE   RFC 8259, RFC 6901.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ratecoord::venue {

inline constexpr std::size_t body_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t depth_max = 64;
inline constexpr std::size_t pointer_tokens_max = 16;

class JsonPointer {
  public:
    /// "" is the whole text; otherwise it starts with '/'. Nothing for what is not a pointer.
    static std::optional<JsonPointer> parse(std::string_view text);

    const std::string& text() const noexcept { return text_; }
    const std::vector<std::string>& tokens() const noexcept { return tokens_; }
    bool operator==(const JsonPointer& other) const noexcept { return text_ == other.text_; }

  private:
    std::string text_;
    std::vector<std::string> tokens_;
};

struct JsonValue {
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    /// As it stands in the text. A string without its quotes, escapes not resolved. An array or
    /// object from its bracket to the end of the text.
    std::string_view raw;
    bool has_escapes = false;
};

}  // namespace ratecoord::venue
