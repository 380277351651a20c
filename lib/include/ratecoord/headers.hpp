// SPDX-License-Identifier: Apache-2.0
//
// Handing a reply over without copying it: views of header lines, and what a failure proves.
//
//     ratecoord::HeaderViews views;
//     for (const auto& [name, value] : my_map) views.add(name, value);
//     ratecoord::Reply reply{.status = 200, .headers = views.span(), .body = body};
//     ...
//     ratecoord::Reply lost = ratecoord::failed_reply(ratecoord::Phase::connect);
//
// PROMISE  HeaderViews allocates nothing and copies no text. Of more lines than fit it keeps the
//          first, and the last Retry-After.
//          failed_reply() says not_sent only where no byte of the request can have reached the
//          venue.
// NEEDS    What is viewed stays in place while the views are used.
// SHARING  Values.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <ratecoord/reply.hpp>

namespace ratecoord {

class HeaderViews {
  public:
    /// Venues send 20 to 40 lines; what is beyond is a proxy's, or an attack.
    static constexpr std::size_t most = 128;

    void add(std::string_view name, std::string_view value) noexcept {
        if (count_ < most) {
            lines_[count_++] = {name, value};
        } else {
            ++left_out_;
            if (is_retry_after(name)) lines_[most - 1] = {name, value};
        }
    }
    void clear() noexcept { count_ = left_out_ = 0; }

    std::span<const Header> span() const noexcept { return {lines_.data(), count_}; }
    std::size_t left_out() const noexcept { return left_out_; }

  private:
    static bool is_retry_after(std::string_view name) noexcept {
        constexpr std::string_view wanted = "retry-after";
        if (name.size() != wanted.size()) return false;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const char c = name[i];
            if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != wanted[i])
                return false;
        }
        return true;
    }

    std::array<Header, most> lines_{};
    std::size_t count_ = 0;
    std::size_t left_out_ = 0;
};

/// Views of any range of pairs of text: std::map, std::unordered_multimap, a vector of pairs.
template <class Map>
HeaderViews header_views(const Map& map) noexcept {
    HeaderViews views;
    for (const auto& [name, value] : map) views.add(name, value);
    return views;
}

/// Where an exchange failed.
enum class Phase : std::uint8_t {
    resolve,  ///< no address for the name
    connect,  ///< refused, no route, or not connected in time
    secure,   ///< TLS handshake or certificate
    proxy,    ///< the proxy would not connect us
    send,     ///< while the request was written
    wait,     ///< no reply in time, reset, or closed before its first byte
    receive,  ///< cut off inside the reply's head
};

/// What that proves. `bytes_sent` counts the request's own bytes that the system took.
constexpr Transport transport_of(Phase failed, std::size_t bytes_sent = 1) noexcept {
    switch (failed) {
        case Phase::resolve:
        case Phase::connect:
        case Phase::secure:
        case Phase::proxy:
            return Transport::not_sent;
        case Phase::send:
            return bytes_sent == 0 ? Transport::not_sent : Transport::maybe_sent;
        case Phase::wait:
        case Phase::receive:
            break;
    }
    return Transport::maybe_sent;
}

constexpr Reply failed_reply(Phase failed, std::size_t bytes_sent = 1) noexcept {
    Reply reply;
    reply.transport = transport_of(failed, bytes_sent);
    reply.is_whole = false;
    return reply;
}

/// One message of a WebSocket: the profile says where its status stands.
constexpr Reply frame_reply(std::string_view text) noexcept {
    Reply reply;
    reply.body = text;
    return reply;
}

}  // namespace ratecoord
