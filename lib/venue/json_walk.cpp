// SPDX-License-Identifier: Apache-2.0
#include "venue/json_walk.hpp"

#include <bit>
#include <cstring>

#include "venue/json_text.hpp"
#include "venue/number.hpp"

namespace ratecoord::venue {
namespace {

bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_named(const JsonValue& name, const JsonPointer::Token& token) {
    return token.is_any_member || (!token.is_star && equals(name, token.text));
}

/// Ends a run of a string's plain bytes.
bool is_special(char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

/// How many of the next eight bytes stand before a special one.
std::size_t plain_of_eight(const char* bytes) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
    constexpr std::uint64_t highs = ones << 7;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    // Sets the high bit of each byte below the bound; wrongly so only behind one that is.
    const auto below = [&](std::uint64_t each, std::uint64_t bound) {
        return (each - ones * bound) & ~each & highs;
    };
    const std::uint64_t special =
        below(word, 0x20) | below(word ^ ones * '"', 1) | below(word ^ ones * '\\', 1);
    return special == 0 ? 8 : static_cast<std::size_t>(__builtin_ctzll(special)) / 8;
}

}  // namespace

void JsonWalk::skip_blanks() noexcept {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
        ++at_;
    }
}

bool JsonWalk::take(char c) noexcept {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
}

bool JsonWalk::take_escape() noexcept {
    constexpr std::string_view simple = "\"\\/bfnrt";
    if (at_ >= text_.size()) return false;
    const char c = text_[at_++];
    if (c != 'u') return simple.find(c) != std::string_view::npos;
    if (text_.size() - at_ < 4) return false;
    for (int i = 0; i < 4; ++i) {
        if (!is_hex(text_[at_++])) return false;
    }
    return true;
}

bool JsonWalk::take_string(JsonValue& value) noexcept {
    if (!take('"')) return false;
    const std::size_t begin = at_;
    value.kind = JsonValue::Kind::string;
    while (at_ < text_.size()) {
        if (text_.size() - at_ >= 8) at_ += plain_of_eight(text_.data() + at_);
        if (at_ == text_.size()) break;
        if (!is_special(text_[at_])) {
            ++at_;
        } else if (text_[at_] == '"') {
            value.raw = text_.substr(begin, at_++ - begin);
            return true;
        } else if (text_[at_] == '\\') {
            ++at_;
            value.has_escapes = true;
            if (!take_escape()) return false;
        } else {
            return false;
        }
    }
    return false;
}

bool JsonWalk::take_number(JsonValue& value) noexcept {
    const std::size_t begin = at_;
    const auto digits = [&] {
        const std::size_t first = at_;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
        return at_ > first;
    };
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
        if (!take('+')) take('-');
        if (!digits()) return false;
    }
    // A number that ends where the text was cut off may have been longer.
    if (at_ == text_.size() && depth_ > 0) return false;
    value.kind = JsonValue::Kind::number;
    value.raw = text_.substr(begin, at_ - begin);
    return true;
}

bool JsonWalk::take_literal(std::string_view word) noexcept {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
}

bool JsonWalk::take_scalar(JsonValue& value) noexcept {
    const std::size_t begin = at_;
    bool taken = false;
    switch (text_[at_]) {
        case '"':
            return take_string(value);
        case 't':
            value.kind = JsonValue::Kind::boolean;
            taken = take_literal("true");
            break;
        case 'f':
            value.kind = JsonValue::Kind::boolean;
            taken = take_literal("false");
            break;
        case 'n':
            value.kind = JsonValue::Kind::null;
            taken = take_literal("null");
            break;
        default:
            return take_number(value);
    }
    value.raw = text_.substr(begin, at_ - begin);
    return taken;
}

bool JsonWalk::open(bool is_object, bool on_path) noexcept {
    if (depth_ == depth_max) return false;
    const std::uint64_t bit = std::uint64_t{1} << depth_;
    objects_ = is_object ? objects_ | bit : objects_ & ~bit;
    path_ = on_path ? path_ | bit : path_ & ~bit;
    if (on_path) element_[depth_] = 0;
    ++depth_;
    ++at_;
    state_ = is_object ? State::first_member : State::first_element;
    return true;
}

void JsonWalk::close() noexcept {
    --depth_;
    ++at_;
    state_ = State::after_value;
}

/// Whether the element that comes next lies on the path.
void JsonWalk::aim_at_element() noexcept {
    next_on_path_ = false;
    if (!on_path()) return;
    const auto& token = tokens_[depth_ - 1];
    const std::uint32_t index = element_[depth_ - 1]++;
    next_on_path_ = token.is_star || token.index == index;
}

bool JsonWalk::take_member_name() noexcept {
    JsonValue name;
    if (!take_string(name)) return false;
    next_on_path_ = on_path() && is_named(name, tokens_[depth_ - 1]);
    if (next_on_path_) name_ = name;
    skip_blanks();
    if (!take(':')) return false;
    state_ = State::value;
    return true;
}

bool JsonWalk::take_value(std::optional<JsonValue>& target) noexcept {
    if (at_ >= text_.size()) return false;
    const bool is_target = next_on_path_ && depth_ == tokens_.size();
    const char c = text_[at_];
    JsonValue value;
    if (c == '{' || c == '[') {
        value.kind = c == '{' ? JsonValue::Kind::object : JsonValue::Kind::array;
        value.raw = text_.substr(at_);
        if (!open(c == '{', next_on_path_ && !is_target)) return false;
    } else {
        if (!take_scalar(value)) return false;
        state_ = State::after_value;
    }
    if (is_target) target = value;
    return true;
}

bool JsonWalk::after_value() noexcept {
    if (depth_ == 0) {
        state_ = State::end;
        return true;
    }
    if (take(',')) {
        if (!in_object()) {
            aim_at_element();
            state_ = State::value;
            return true;
        }
        skip_blanks();
        return take_member_name();
    }
    if (at_ >= text_.size() || text_[at_] != (in_object() ? '}' : ']')) return false;
    close();
    return true;
}

bool JsonWalk::step(std::optional<JsonValue>& target) noexcept {
    skip_blanks();
    switch (state_) {
        case State::value:
            return take_value(target);
        case State::first_member:
            if (at_ < text_.size() && text_[at_] == '}') {
                close();
                return true;
            }
            return take_member_name();
        case State::first_element:
            if (at_ < text_.size() && text_[at_] == ']') {
                close();
                return true;
            }
            aim_at_element();
            state_ = State::value;
            return true;
        case State::after_value:
            return after_value();
        case State::end:
        case State::failed:
            break;
    }
    return false;
}

std::optional<JsonValue> JsonWalk::next() noexcept {
    std::optional<JsonValue> target;
    while (state_ != State::end && state_ != State::failed) {
        if (!step(target)) {
            state_ = State::failed;
            return std::nullopt;
        }
        if (target) return target;
    }
    return std::nullopt;
}

std::optional<JsonValue> find(std::string_view text, const JsonPointer& pointer) noexcept {
    return JsonWalk(text, pointer).next();
}

/// Walks to the end and asks how it came there.
class JsonShapeCheck {
  public:
    static JsonShape run(std::string_view text, const JsonPointer& whole) noexcept {
        if (text.size() > body_bytes_max) return JsonShape::not_judged;
        JsonWalk walk(text, whole);
        walk.next();  // the whole value itself
        walk.next();
        if (walk.state_ == JsonWalk::State::end) {
            walk.skip_blanks();
            return walk.at_ == text.size() ? JsonShape::whole : JsonShape::broken;
        }
        const bool too_deep = walk.depth_ == depth_max && walk.at_ < text.size() &&
                              (text[walk.at_] == '[' || text[walk.at_] == '{');
        return too_deep ? JsonShape::not_judged : JsonShape::broken;
    }
};

JsonShape shape_of(std::string_view text) noexcept {
    static const JsonPointer whole;
    return JsonShapeCheck::run(text, whole);
}

}  // namespace ratecoord::venue
