// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include "mock-venue/arrival_log.hpp"
#include "mock-venue/connection.hpp"

namespace mock_venue {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

namespace {

// Guaranteed copy elision: neither a log nor a failed acceptor ever moves.
ArrivalLog open_log(const std::string& path) try {
    return ArrivalLog(path);
} catch (const std::system_error& error) {
    throw StartError("cannot open --log '" + path + "': " + error.code().message(),
                     "name a file in a directory that exists and can be written");
}

tcp::acceptor listen_on(asio::io_context& io, std::uint16_t port) try {
    return tcp::acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), port));
} catch (const boost::system::system_error& error) {
    throw StartError(
        "cannot listen on 127.0.0.1:" + std::to_string(port) + ": " + error.code().message(),
        "choose another --port, or 0 for any free one");
}

}  // namespace

class Server::Core {
  public:
    explicit Core(const Options& options)
        : log_(open_log(options.log_file)),
          acceptor_(listen_on(io_, options.port)),
          venue_(options.rules,
                 std::chrono::time_point_cast<Nanos>(std::chrono::system_clock::now()), log_),
          signals_(io_, SIGTERM, SIGINT),
          end_timer_(io_, options.run_for),
          flush_timer_(io_),
          retry_timer_(io_) {}

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    bool run() {
        const auto stop = [this](Error error, auto&&...) {
            if (!error) io_.stop();
        };
        signals_.async_wait(stop);
        end_timer_.async_wait(stop);
        flush_later();
        accept();
        io_.run();
        return log_.flush();
    }

  private:
    void accept() {
        acceptor_.async_accept([this](Error error, tcp::socket socket) {
            if (error) return accept_later();
            std::make_shared<Connection>(std::move(socket), venue_, [this] {
                io_.stop();
            })->start();
            accept();
        });
    }

    // Out of file descriptors, most likely: trying again at once would spin.
    void accept_later() {
        retry_timer_.expires_after(std::chrono::milliseconds{20});
        retry_timer_.async_wait([this](Error error) {
            if (!error) accept();
        });
    }

    void flush_later() {
        if (!log_.enabled()) return;
        flush_timer_.expires_after(std::chrono::milliseconds{200});
        flush_timer_.async_wait([this](Error error) {
            if (error) return;
            log_.flush();
            flush_later();
        });
    }

    // Destroyed last to first: connections live in io_'s handlers, and use venue_ until then only
    // from within run().
    asio::io_context io_{1};
    ArrivalLog log_;
    tcp::acceptor acceptor_;
    Venue venue_;
    asio::signal_set signals_;
    asio::steady_timer end_timer_;
    asio::steady_timer flush_timer_;
    asio::steady_timer retry_timer_;
};

Server::Server(const Options& options) : core_(std::make_unique<Core>(options)) {}

Server::~Server() = default;

std::uint16_t Server::port() const {
    return core_->port();
}

bool Server::run() {
    return core_->run();
}

}  // namespace mock_venue
