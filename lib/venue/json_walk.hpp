// SPDX-License-Identifier: Apache-2.0
//
// Values of a JSON text by pointer, without a tree.
//
//     JsonWalk walk(R"({"error":{"code":-1003}})", pointer_to_error_code);
//     walk.next()      ->  number, "-1003"
//
// PROMISE  J1  One pass, no allocation, no recursion. At most body_bytes_max are looked at, and no
//              deeper than depth_max levels.
//          J2  What is passed on the way is checked against RFC 8259; what lies behind the value is
//              not, so a reply that was cut off still tells its code. Bytes above 0x7f and single
//              surrogates are taken as they are.
//          J3  Where a name stands twice, the first value the pointer leads to comes first.
//          J4  Once it has failed or ended, next() gives nothing.
// SHARING  One thread; the text must outlive what is returned.
// SOURCE   RFC 8259, RFC 6901; decision 0016.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "venue/json_pointer.hpp"

namespace ratecoord::venue {

inline constexpr std::size_t body_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t depth_max = 64;

struct JsonValue {
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    bool has_escapes = false;  ///< string: `raw` is not its text yet
    /// As it stands in the text; a string without its quotes; an array or object from its bracket
    /// to the end of what is looked at.
    std::string_view raw;

    bool is_scalar() const noexcept { return kind != Kind::array && kind != Kind::object; }
};

class JsonWalk {
  public:
    /// `from`: how many of the pointer's tokens led to the text already.
    JsonWalk(std::string_view text, const JsonPointer& pointer, std::size_t from = 0) noexcept
        : text_(text.substr(0, body_bytes_max)), tokens_(pointer.tokens()) {
        tokens_ = tokens_.subspan(from);
    }

    /// The next value the pointer leads to, in the order of the text.
    std::optional<JsonValue> next() noexcept;
    /// The name of the member that next() gave last, where it gave a member.
    const JsonValue& name() const noexcept { return name_; }

  private:
    friend class JsonShapeCheck;
    enum class State : std::uint8_t {
        value,
        first_member,
        first_element,
        after_value,
        end,
        failed
    };

    bool step(std::optional<JsonValue>& target) noexcept;
    bool take_value(std::optional<JsonValue>& target) noexcept;
    bool take_scalar(JsonValue& value) noexcept;
    bool take_string(JsonValue& value) noexcept;
    bool take_escape() noexcept;
    bool take_number(JsonValue& value) noexcept;
    bool take_literal(std::string_view word) noexcept;
    bool take_member_name() noexcept;
    bool open(bool is_object, bool on_path) noexcept;
    bool after_value() noexcept;
    void close() noexcept;
    void aim_at_element() noexcept;
    void skip_blanks() noexcept;
    bool take(char c) noexcept;

    bool in_object() const noexcept { return (objects_ >> (depth_ - 1) & 1) != 0; }
    bool on_path() const noexcept { return depth_ == 0 || (path_ >> (depth_ - 1) & 1) != 0; }

    std::string_view text_;
    std::span<const JsonPointer::Token> tokens_;
    JsonValue name_;  ///< of the last member that lay on the path
    std::size_t at_ = 0;
    std::size_t depth_ = 0;      ///< open containers
    std::uint64_t objects_ = 0;  ///< bit i: container i is an object
    std::uint64_t path_ = 0;     ///< bit i: container i lies on the pointer's path
    std::array<std::uint32_t, pointer_tokens_max + 1> element_{};  ///< of arrays on the path
    bool next_on_path_ = true;  ///< whether the value that comes next does
    State state_ = State::value;
};

std::optional<JsonValue> find(std::string_view text, const JsonPointer& pointer) noexcept;

/// Whether a text is one whole JSON value.
enum class JsonShape : std::uint8_t {
    whole,
    broken,
    not_judged,  ///< larger or deeper than what is looked at
};
JsonShape shape_of(std::string_view text) noexcept;

}  // namespace ratecoord::venue
