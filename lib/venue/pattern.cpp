// SPDX-License-Identifier: Apache-2.0
#include "venue/pattern.hpp"

#include <algorithm>

namespace ratecoord::venue {

std::string to_lower(std::string_view text) {
    std::string lowered(text);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
    return lowered;
}

bool equal_ignoring_case(std::string_view text, std::string_view lowered) noexcept {
    return text.size() == lowered.size() &&
           std::equal(text.begin(), text.end(), lowered.begin(),
                      [](char a, char b) { return lower(a) == b; });
}

bool Pattern::matches(std::string_view text) const noexcept {
    const std::string_view pattern = lowered_;
    std::size_t in_text = 0;
    std::size_t in_pattern = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (in_text < text.size()) {
        if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
            star = in_pattern++;
            resume = in_text;
        } else if (in_pattern < pattern.size() &&
                   (pattern[in_pattern] == '?' || pattern[in_pattern] == lower(text[in_text]))) {
            ++in_pattern;
            ++in_text;
        } else if (star != std::string_view::npos) {
            in_pattern = star + 1;
            in_text = ++resume;
        } else {
            return false;
        }
    }
    while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
    return in_pattern == pattern.size();
}

}  // namespace ratecoord::venue
