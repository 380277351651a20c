// SPDX-License-Identifier: Apache-2.0
//
// One connection at the door: a request is read, answered and only then the next one read; a viewer
// stays and gets events.
//
// PROMISE  Holds one request head of at most largest_head and one answer; of events that come while
//          one is being sent only the newest is kept. Whoever is too slow is closed.
// SHARING  One thread, that of the loop.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/span.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/span_body.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "coordinatord/admission.hpp"
#include "coordinatord/door.hpp"

namespace coordinatord {

inline constexpr std::uint32_t largest_head = 8 * 1024;

/// What all sessions of a door share.
struct Reception {
    std::shared_ptr<Site> site;
    Admission admission;
    DoorOptions options;
    std::size_t sessions = 0;
    std::size_t viewers = 0;
};

class Session : public std::enable_shared_from_this<Session> {
  public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    Session(Socket socket, std::shared_ptr<Reception> reception);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void start();
    void close();
    bool is_viewer() const noexcept { return is_viewer_; }
    /// The newest event, unless this viewer has it.
    void send_event();
    void send_to_viewer(Site::Text text);

  private:
    using Error = boost::beast::error_code;
    using Answer = boost::beast::http::response<boost::beast::http::span_body<const char>>;

    void wait_for_request();
    void read_head();
    void on_head(Error error);
    void answer();
    /// Nothing, or why this request is not answered.
    std::optional<boost::beast::http::status> objection() const;
    void refuse(boost::beast::http::status status);
    void send(boost::beast::http::status status, Site::Shown shown, bool stays);
    void become_viewer();
    void watch_viewer();
    void on_event_sent();
    void drain();
    void limit_time(std::chrono::milliseconds time);

    Socket socket_;
    boost::asio::steady_timer timer_;
    std::shared_ptr<Reception> reception_;
    boost::beast::flat_buffer buffer_;
    std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
    Site::Text text_;  ///< what is being sent
    Answer answer_;
    std::array<char, 1024> unread_{};
    std::size_t drained_ = 0;
    bool is_viewer_ = false;
    bool is_sending_ = false;
    std::optional<std::uint64_t> told_revision_;
};

}  // namespace coordinatord
