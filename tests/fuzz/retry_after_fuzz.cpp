// SPDX-License-Identifier: Apache-2.0
#include "venue/retry_after.hpp"

#include "fuzz.hpp"
#include "venue/number.hpp"

using namespace ratecoord;
using namespace ratecoord::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto text = text_of(data, size);
    const auto now = take_number(text);
    const auto wait = venue::parse_retry_after(text, now);
    require(wait.value_or(1) >= 1, "a wait is positive");
    require(wait.value_or(1) <= venue::wait_s_max, "a wait saturates");
    const auto trimmed = venue::trim(text);
    if (!trimmed.empty() && venue::is_digit(trimmed.front())) {
        const bool all_digits = trimmed.find_first_not_of("0123456789") == std::string_view::npos;
        const bool is_zero = trimmed.find_first_not_of('0') == std::string_view::npos;
        require(wait.has_value() == (all_digits && !is_zero), "digits, all digits, not only zeros");
    }
    return 0;
}
