// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/order_id.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "retry/chance.hpp"

namespace ratecoord {
namespace {

constexpr std::string_view hexadecimal = "0123456789abcdef";
constexpr std::size_t uuid_length = 36;

bool is_graphic(char c) noexcept {
    return c > ' ' && c < 0x7f;
}
bool is_alphanumeric(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The characters of "A-Za-z_"; empty if it cannot be read.
std::string expand(std::string_view charset) {
    std::string characters;
    for (std::size_t i = 0; i < charset.size(); ++i) {
        const bool is_range = i + 2 < charset.size() && charset[i + 1] == '-';
        const char first = charset[i];
        const char last = is_range ? charset[i + 2] : first;
        if (!is_graphic(first) || !is_graphic(last) || last < first) return {};
        for (char c = first; c <= last; ++c) characters.push_back(c);  // graphic: never the largest
        if (is_range) i += 2;
    }
    std::sort(characters.begin(), characters.end());
    characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
    return characters;
}

/// How many characters of `base` hold 128 bits, or `room` if that is less; 0 if not even 64 fit.
std::uint32_t random_length(std::size_t base, std::size_t room) noexcept {
    constexpr auto all = ~static_cast<unsigned __int128>(0);
    unsigned __int128 choices = 1;
    for (std::uint32_t n = 1; n <= room; ++n) {
        if (choices > all / base) return n;
        choices *= base;
        if (n == room && choices >> 64 != 0) return n;
    }
    return 0;
}

bool is_uuid(std::string_view id) noexcept {
    if (id.size() != uuid_length) return false;
    for (std::size_t i = 0; i < id.size(); ++i) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        const char c = id[i];
        const bool is_digit =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (is_dash ? c != '-' : !is_digit) return false;
    }
    return true;
}

tl::unexpected<Error> no_random_bytes() {
    return fail(ErrorCode::system, "no random bytes for a client order id", {}, errno);
}

Result<std::string> make_uuid() {
    std::array<std::byte, 16> bytes;
    if (!retry::fill_random(bytes)) return no_random_bytes();
    bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};
    bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
    std::string id;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) id.push_back('-');
        id.push_back(hexadecimal[std::to_integer<std::size_t>(bytes[i] >> 4)]);
        id.push_back(hexadecimal[std::to_integer<std::size_t>(bytes[i] & std::byte{0x0f})]);
    }
    return id;
}

}  // namespace

Result<OrderIdMaker> OrderIdMaker::make(const OrderIdRules& rules) {
    OrderIdMaker maker;
    maker.most_ = rules.most;
    maker.prefix_ = rules.prefix;
    maker.is_uuid_ = rules.is_uuid;
    maker.characters_ = expand(rules.charset);
    if (maker.characters_.empty()) {
        return fail(ErrorCode::invalid_argument,
                    "'" + rules.charset + "' is no set of characters for client order ids");
    }
    if (rules.is_uuid) return maker;
    if (!std::all_of(rules.prefix.begin(), rules.prefix.end(), is_graphic)) {
        return fail(ErrorCode::invalid_argument, "a prefix of client order ids holds a blank");
    }
    std::copy_if(maker.characters_.begin(), maker.characters_.end(),
                 std::back_inserter(maker.drawn_), is_alphanumeric);
    if (maker.drawn_.size() < 2) maker.drawn_ = maker.characters_;
    const std::size_t room = rules.most - std::min<std::size_t>(rules.most, rules.prefix.size());
    maker.random_characters_ =
        maker.drawn_.size() < 2 ? 0 : random_length(maker.drawn_.size(), room);
    if (maker.random_characters_ == 0) {
        return fail(ErrorCode::invalid_argument,
                    "client order ids of " + std::to_string(rules.most) +
                        " such characters cannot hold 64 random bits: two of them may be equal");
    }
    return maker;
}

Result<std::string> OrderIdMaker::next() const {
    if (is_uuid_) return make_uuid();
    const std::size_t base = drawn_.size();
    // Bytes from here on would make some characters likelier than others.
    const std::size_t fair = 256 - 256 % base;
    std::string id = prefix_;
    std::array<std::byte, 64> bytes;
    while (id.size() < prefix_.size() + random_characters_) {
        if (!retry::fill_random(bytes)) return no_random_bytes();
        for (const std::byte byte : bytes) {
            const auto value = std::to_integer<std::size_t>(byte);
            if (value >= fair) continue;
            id.push_back(drawn_[value % base]);
            if (id.size() == prefix_.size() + random_characters_) break;
        }
    }
    return id;
}

std::string OrderIdMaker::objection(std::string_view id) const {
    if (is_uuid_) return is_uuid(id) ? std::string() : "is no UUID";
    if (id.size() > most_) return "is longer than " + std::to_string(most_) + " characters";
    if (!id.starts_with(prefix_)) return "does not begin with '" + prefix_ + "'";
    for (const char c : id.substr(prefix_.size())) {
        if (characters_.find(c) == std::string::npos) return "holds a character the venue refuses";
    }
    return {};
}

}  // namespace ratecoord
