// SPDX-License-Identifier: Apache-2.0
#include "venue/json_text.hpp"

#include <cstdint>

#include "venue/json_walk.hpp"
#include "venue/profile.hpp"

namespace ratecoord::venue {
namespace {

/// One character after another of a string that JsonWalk has passed, escapes resolved.
class Decoder {
  public:
    explicit Decoder(std::string_view raw) : rest_(raw) {}

    bool done() const { return rest_.empty(); }

    /// The bytes of the next character; of plain text, one byte.
    std::string_view next() {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        if (c != '\\' || rest_.empty()) return one(c);
        const char escaped = rest_.front();
        rest_.remove_prefix(1);
        switch (escaped) {
            case 'b':
                return one('\b');
            case 'f':
                return one('\f');
            case 'n':
                return one('\n');
            case 'r':
                return one('\r');
            case 't':
                return one('\t');
            case 'u':
                return encode(take_code_point());
            default:
                return one(escaped);
        }
    }

  private:
    std::string_view one(char c) {
        bytes_[0] = c;
        return {bytes_.data(), 1};
    }

    std::uint32_t take_unit() {
        std::uint32_t unit = 0;
        for (int i = 0; i < 4 && !rest_.empty(); ++i) {
            const char c = rest_.front();
            rest_.remove_prefix(1);
            const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
            unit = unit << 4 | (static_cast<std::uint32_t>(digit) & 0xf);
        }
        return unit;
    }

    std::uint32_t take_code_point() {
        constexpr std::uint32_t replacement = 0xfffd;
        const auto unit = take_unit();
        if (unit < 0xd800 || unit > 0xdfff) return unit;
        if (unit > 0xdbff || !rest_.starts_with("\\u")) return replacement;
        const auto before = rest_;
        rest_.remove_prefix(2);
        const auto low = take_unit();
        if (low < 0xdc00 || low > 0xdfff) {
            rest_ = before;
            return replacement;
        }
        return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }

    std::string_view encode(std::uint32_t point) {
        const auto tail = [&](int shift) {
            return static_cast<char>(0x80 | (point >> shift & 0x3f));
        };
        if (point < 0x80) return one(static_cast<char>(point));
        if (point < 0x800) {
            bytes_ = {static_cast<char>(0xc0 | point >> 6), tail(0)};
            return {bytes_.data(), 2};
        }
        if (point < 0x10000) {
            bytes_ = {static_cast<char>(0xe0 | point >> 12), tail(6), tail(0)};
            return {bytes_.data(), 3};
        }
        bytes_ = {static_cast<char>(0xf0 | point >> 18), tail(12), tail(6), tail(0)};
        return {bytes_.data(), 4};
    }

    std::string_view rest_;
    std::array<char, 4> bytes_{};
};

}  // namespace

bool equals(const JsonValue& value, std::string_view text) noexcept {
    if (!value.has_escapes) return value.raw == text;
    Decoder decoder(value.raw);
    while (!decoder.done()) {
        const auto bytes = decoder.next();
        if (!text.starts_with(bytes)) return false;
        text.remove_prefix(bytes.size());
    }
    return text.empty();
}

bool equals(const JsonValue& value, const Literal& literal) noexcept {
    switch (value.kind) {
        case JsonValue::Kind::string:
            return !literal.is_boolean && equals(value, literal.text);
        case JsonValue::Kind::number:
            return !literal.is_boolean && value.raw == literal.text;
        case JsonValue::Kind::boolean:
            return literal.is_boolean && value.raw == literal.text;
        default:
            return false;
    }
}

std::string_view text_of(const JsonValue& value, TextBuffer& buffer) noexcept {
    if (value.kind == JsonValue::Kind::number) return value.raw.substr(0, text_bytes_max);
    if (value.kind != JsonValue::Kind::string) return {};
    if (!value.has_escapes) return value.raw.substr(0, text_bytes_max);
    std::size_t size = 0;
    for (Decoder decoder(value.raw); !decoder.done();) {
        const auto bytes = decoder.next();
        if (bytes.size() > buffer.size() - size) break;
        size += bytes.copy(buffer.data() + size, bytes.size());
    }
    return {buffer.data(), size};
}

}  // namespace ratecoord::venue
