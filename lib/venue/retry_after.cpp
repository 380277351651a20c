// SPDX-License-Identifier: Apache-2.0
#include "venue/retry_after.hpp"

#include <algorithm>

#include "venue/http_date.hpp"
#include "venue/number.hpp"

namespace ratecoord::venue {

std::optional<std::int64_t> parse_retry_after(std::string_view value, std::int64_t now_s) noexcept {
    value = trim(value);
    if (value.empty()) return std::nullopt;
    std::int64_t wait = 0;
    if (is_digit(value.front())) {
        for (const char c : value) {
            if (!is_digit(c)) return std::nullopt;
            wait = std::min(wait * 10 + (c - '0'), wait_s_max);
        }
    } else {
        const auto date = parse_http_date(value, now_s);
        if (!date) return std::nullopt;
        wait = std::min(subtract_saturating(*date, now_s), wait_s_max);
    }
    if (wait <= 0) return std::nullopt;
    return wait;
}

}  // namespace ratecoord::venue
