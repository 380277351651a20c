// SPDX-License-Identifier: Apache-2.0
//
// One client's connection: a request is read, answered and only then the next one read.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mock-venue/venue.hpp"

namespace mock_venue {

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    // `venue` outlives the connection. `on_quit` is called when an admin asked for the end, once
    // that request has been answered.
    Connection(boost::asio::ip::tcp::socket socket, Venue& venue, std::function<void()> on_quit);

    void start();

  private:
    using Error = boost::beast::error_code;

    void read_head();
    void on_head(Error error);
    void read_rest();
    void respond();
    Reply decide();
    void send_after(Reply reply);
    void send(Reply reply);
    void close();

    boost::asio::ip::tcp::socket socket_;
    boost::asio::steady_timer timer_;
    Venue& venue_;
    std::function<void()> on_quit_;
    std::string address_;
    boost::beast::flat_buffer buffer_;
    std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
    boost::beast::http::response<boost::beast::http::string_body> response_;
    Instant arrived_{};
    Nanos boot_time_{};
    bool quit_ = false;
};

}  // namespace mock_venue
