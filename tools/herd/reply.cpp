// SPDX-License-Identifier: Apache-2.0
#include "herd/reply.hpp"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "herd/instant.hpp"

namespace herd {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::int64_t> read_seconds(std::string_view digits) {
    constexpr std::int64_t most = longest_stop_ns / second_ns;
    std::int64_t seconds = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (error == std::errc::result_out_of_range) return longest_stop_ns;
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return std::min(seconds, most) * second_ns;
}

// The one form that may be sent; the two obsolete ones count as no date.
std::optional<std::int64_t> read_date(const std::string& text, std::int64_t utc_ns) {
    ::tm parts{};
    const char* const end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    const std::int64_t seconds = ::timegm(&parts);
    const std::int64_t ahead = seconds - utc_ns / second_ns;
    if (ahead >= longest_stop_ns / second_ns) return longest_stop_ns;
    return ahead > 0 ? std::optional(seconds * second_ns - utc_ns) : std::nullopt;
}

}  // namespace

Verdict verdict_of(int status) {
    if (status >= 200 && status < 300) return Verdict::accepted;
    if (status == 429) return Verdict::limited;
    if (status == 418 || status == 403) return Verdict::banned;
    if (status >= 300 && status < 500) return Verdict::rejected;
    return Verdict::failed;
}

std::optional<std::int64_t> read_retry_after(std::string_view value, std::int64_t utc_ns) {
    const std::string_view text = trimmed(value);
    if (text.empty()) return std::nullopt;
    const auto wait = std::all_of(text.begin(), text.end(), is_digit)
                          ? read_seconds(text)
                          : read_date(std::string(text), utc_ns);
    return wait && *wait > 0 ? wait : std::nullopt;
}

}  // namespace herd
