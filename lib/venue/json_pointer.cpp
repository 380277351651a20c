// SPDX-License-Identifier: Apache-2.0
#include "venue/json_pointer.hpp"

namespace ratecoord::venue {

std::optional<JsonPointer> JsonPointer::parse(std::string_view text) {
    JsonPointer pointer;
    pointer.text_ = text;
    if (text.empty()) return pointer;
    if (text.front() != '/') return std::nullopt;
    std::string* token = nullptr;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/') {
            token = &pointer.tokens_.emplace_back();
        } else if (text[i] == '~') {
            if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) {
                return std::nullopt;
            }
            *token += text[++i] == '0' ? '~' : '/';
        } else {
            *token += text[i];
        }
    }
    if (pointer.tokens_.size() > pointer_tokens_max) return std::nullopt;
    return pointer;
}

}  // namespace ratecoord::venue
