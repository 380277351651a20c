// SPDX-License-Identifier: Apache-2.0
//
// A door with a board behind it, and who comes: raw bytes over sockets, the loop pumped by hand.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "coordinatord/budgets_json.hpp"
#include "coordinatord/door.hpp"

namespace ratecoord::testing {

namespace asio = boost::asio;
using asio::generic::stream_protocol;
using namespace coordinatord;

/// A client that turns the loop while it waits, so that nothing is judged by the clock.
class Visitor {
  public:
    Visitor(asio::io_context& loop, const stream_protocol::endpoint& where)
        : loop_(loop), socket_(loop) {
        socket_.connect(where);
    }
    void say(const std::string& text) {
        asio::async_write(socket_, asio::buffer(sent_ = text), [](auto, auto) {});
    }
    /// All that was heard once it holds `mark`, or once the other end has closed.
    std::string hear(const std::string& mark) {
        while (!is_closed_ && heard_.find(mark) == std::string::npos) {
            bool is_done = false;
            socket_.async_read_some(asio::buffer(some_), [&](auto error, std::size_t size) {
                heard_.append(some_.data(), size);
                is_closed_ = static_cast<bool>(error);
                is_done = true;
            });
            while (!is_done) loop_.run_one();
        }
        return heard_;
    }
    std::string hear_all() { return hear("what nobody says"); }
    std::string take(const std::string& mark) { return hear(mark), std::exchange(heard_, {}); }
    bool is_closed() const { return is_closed_; }
    void leave() { socket_.close(); }

  private:
    asio::io_context& loop_;
    stream_protocol::socket socket_;
    std::string sent_;
    std::string heard_;
    std::array<char, 4096> some_{};
    bool is_closed_ = false;
};

struct House {
    asio::io_context loop;
    Board board;
    ListenConfig listen{"127.0.0.1", 0, {}, {}};
    DoorOptions options;
    std::optional<Door> door;

    Door& open() {
        auto site = std::make_shared<Site>(board, page_routes(), render_update);
        door.emplace(Door::open(loop, listen, site, options).value());
        return *door;
    }
    Visitor visit() {
        if (!door) open();
        if (!listen.socket.empty()) {
            return {loop, asio::local::stream_protocol::endpoint(listen.socket)};
        }
        return {loop, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), door->port())};
    }
    std::string ask(const std::string& request) {
        Visitor visitor = visit();
        visitor.say(request);
        return visitor.hear_all();
    }
    std::string get(const std::string& target, const std::string& more = {}) {
        return ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                   more + "\r\n");
    }
    void turn_until(const std::function<bool()>& is_so) {
        while (!is_so()) loop.run_one();
    }
};

}  // namespace ratecoord::testing
