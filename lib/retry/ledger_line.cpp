// SPDX-License-Identifier: Apache-2.0
#include "retry/ledger_line.hpp"

#include <array>
#include <charconv>

namespace ratecoord::retry {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

/// FNV-1a: against torn lines, not against forgers.
std::uint64_t checksum(std::string_view text) noexcept {
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (const char c : text) {
        sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return sum;
}

std::string to_hex(std::uint64_t value) {
    std::string text(16, '0');
    for (auto at = text.rbegin(); at != text.rend(); ++at, value >>= 4) *at = digits[value & 15];
    return text;
}

bool is_plain(char c) noexcept {
    return c > ' ' && c < 0x7f && c != '%';
}

/// An empty word is a lone '%'.
std::string escape(std::string_view word) {
    if (word.empty()) return "%";
    std::string text;
    for (const char c : word) {
        if (is_plain(c)) {
            text.push_back(c);
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        text.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return text;
}

std::optional<std::string> unescape(std::string_view text) {
    if (text == "%") return std::string();
    std::string word;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            word.push_back(text[i]);
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const auto high = digits.find(text[i + 1]);
        const auto low = digits.find(text[i + 2]);
        if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
        word.push_back(static_cast<char>(high << 4 | low));
        i += 2;
    }
    return word;
}

template <class Number>
bool read(std::string_view text, Number& number, int base) noexcept {
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number, base);
    return error == std::errc{} && stopped == end;
}

}  // namespace

std::string to_text(const LedgerLine& line) {
    std::string text = line.is_begin ? "begin " : "end ";
    text += std::to_string(line.utc_ns) + " " + to_hex(line.mark) + " " + escape(line.client_id) +
            " " + escape(line.word);
    return text + " " + to_hex(checksum(text)) + "\n";
}

std::optional<LedgerLine> parse_ledger_line(std::string_view text) {
    std::array<std::string_view, 6> words;
    std::string_view rest = text;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const auto blank = rest.find(' ');
        if (blank == std::string_view::npos) return std::nullopt;
        words[i] = rest.substr(0, blank);
        rest.remove_prefix(blank + 1);
    }
    words[5] = rest;
    std::uint64_t sum = 0;
    if (rest.size() != 16 || !read(rest, sum, 16)) return std::nullopt;
    if (sum != checksum(text.substr(0, text.size() - rest.size() - 1))) return std::nullopt;
    LedgerLine line;
    line.is_begin = words[0] == "begin";
    if (!line.is_begin && words[0] != "end") return std::nullopt;
    auto client_id = unescape(words[3]);
    auto word = unescape(words[4]);
    if (!client_id || !word || !read(words[1], line.utc_ns, 10) || !read(words[2], line.mark, 16)) {
        return std::nullopt;
    }
    line.client_id = std::move(*client_id);
    line.word = std::move(*word);
    return line;
}

}  // namespace ratecoord::retry
