// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/admission.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>

namespace coordinatord {
namespace {

std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& letter : result) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return result;
}

std::optional<boost::asio::ip::address> address_in(const std::string& text) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(text, error);
    if (error) return std::nullopt;
    return address;
}

bool is_port(std::string_view text) {
    return !text.empty() && text.size() <= 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A '%' that is followed by no two digits stands for itself.
std::string decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size()) {
            const char* const end = text.data() + i + 3;
            const auto read = std::from_chars(text.data() + i + 1, end, byte, 16);
            if (read.ec == std::errc() && read.ptr == end) {
                result += static_cast<char>(byte);
                i += 2;
                continue;
            }
        }
        result += text[i];
    }
    return result;
}

std::string token_in_query(std::string_view query) {
    constexpr std::string_view name = "token=";
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        if (query.substr(0, end).starts_with(name)) {
            return decoded(query.substr(name.size(), end - name.size()));
        }
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return {};
}

bool is_same(std::string_view given, std::string_view token) {
    unsigned difference = given.size() == token.size() ? 0 : 1;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const char letter = i < given.size() ? given[i] : '\0';
        difference |= static_cast<unsigned char>(letter ^ token[i]);
    }
    return difference == 0;
}

}  // namespace

std::optional<std::string> name_in_host(std::string_view field) {
    if (field.starts_with('[')) {
        const auto end = field.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        const auto rest = field.substr(end + 1);
        if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
        return lowered(field.substr(1, end - 1));
    }
    const auto colon = field.find(':');
    if (colon != std::string_view::npos && !is_port(field.substr(colon + 1))) return std::nullopt;
    auto name = lowered(field.substr(0, colon));
    if (name.empty()) return std::nullopt;
    return name;
}

bool admits_host(const Admission& admission, std::string_view field) {
    if (!admission.checks_host) return true;
    const auto name = name_in_host(field);
    if (!name) return false;
    if (*name == "localhost" || *name == lowered(admission.host)) return true;
    const auto address = address_in(*name);
    if (!address) return false;
    // An address cannot be made to resolve to this host: naming one gives nothing away.
    const auto configured = address_in(admission.host);
    return address->is_loopback() || (configured && configured->is_unspecified());
}

bool admits_token(const Admission& admission, std::string_view authorization,
                  std::string_view query) {
    if (admission.token.empty()) return true;
    constexpr std::string_view scheme = "bearer ";
    if (lowered(authorization.substr(0, scheme.size())) == scheme) {
        return is_same(authorization.substr(scheme.size()), admission.token);
    }
    return is_same(token_in_query(query), admission.token);
}

}  // namespace coordinatord
