// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/request.hpp"

#include <algorithm>
#include <charconv>

#include "mock-venue/option_text.hpp"

namespace mock_venue {

namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

// A '%' that no two hex digits follow stands for itself, as browsers have it.
std::string percent_decoded(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            unsigned char byte = 0;
            const char* const start = text.data() + i + 1;
            const auto [end, error] = std::from_chars(start, start + 2, byte, 16);
            if (error == std::errc{} && end == start + 2) {
                decoded.push_back(static_cast<char>(byte));
                i += 2;
                continue;
            }
        }
        decoded.push_back(text[i] == '+' ? ' ' : text[i]);
    }
    return decoded;
}

}  // namespace

std::optional<std::string_view> Request::header(std::string_view name) const {
    for (const HeaderView& field : headers) {
        if (same_name(field.name, name)) return field.value;
    }
    return std::nullopt;
}

const std::string* Request::parameter(std::string_view name) const {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const auto& each) { return each.first == name; });
    return found == parameters.end() ? nullptr : &found->second;
}

void read_parameters(std::string_view text, Parameters& parameters) {
    if (text.empty()) return;
    for (const std::string_view part : split(text, '&')) {
        if (part.empty()) continue;
        const auto equals = part.find('=');
        const bool bare = equals == std::string_view::npos;
        parameters.emplace_back(percent_decoded(part.substr(0, equals)),
                                bare ? std::string() : percent_decoded(part.substr(equals + 1)));
    }
}

}  // namespace mock_venue
