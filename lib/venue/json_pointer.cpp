// SPDX-License-Identifier: Apache-2.0
#include "venue/json_pointer.hpp"

#include "venue/number.hpp"

namespace ratecoord::venue {
namespace {

/// RFC 6901, 4: digits without a leading zero.
std::uint32_t index_of(std::string_view token) {
    constexpr std::size_t longest = 9;
    if (token.empty() || token.size() > longest || (token.size() > 1 && token.front() == '0')) {
        return JsonPointer::not_an_index;
    }
    const auto number = parse_count(token);
    return number ? static_cast<std::uint32_t>(*number) : JsonPointer::not_an_index;
}

}  // namespace

void JsonPointer::finish_token() {
    if (tokens_.empty()) return;
    Token& token = tokens_.back();
    token.index = index_of(token.text);
    token.is_star = token.text == "*";
    has_star_ = has_star_ || token.is_star;
}

std::optional<JsonPointer> JsonPointer::parse(std::string_view text) {
    JsonPointer pointer;
    pointer.text_ = text;
    if (text.empty()) return pointer;
    if (text.front() != '/') return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/') {
            pointer.finish_token();
            pointer.tokens_.emplace_back();
        } else if (text[i] == '~') {
            if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) {
                return std::nullopt;
            }
            pointer.tokens_.back().text += text[++i] == '0' ? '~' : '/';
        } else {
            pointer.tokens_.back().text += text[i];
        }
    }
    pointer.finish_token();
    if (pointer.tokens_.size() > pointer_tokens_max) return std::nullopt;
    return pointer;
}

JsonPointer JsonPointer::member(std::string_view name) {
    JsonPointer pointer;
    pointer.text_ = "/" + std::string(name);
    pointer.tokens_.push_back({std::string(name), not_an_index, false, false});
    return pointer;
}

JsonPointer JsonPointer::members() {
    JsonPointer pointer;
    pointer.tokens_.push_back({"", not_an_index, false, true});
    return pointer;
}

JsonPointer JsonPointer::elements() const {
    JsonPointer longer = *this;
    longer.text_ += "/*";
    longer.tokens_.push_back({"*", not_an_index, true, false});
    longer.has_star_ = true;
    return longer;
}

}  // namespace ratecoord::venue
