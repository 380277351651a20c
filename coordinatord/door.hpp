// SPDX-License-Identifier: Apache-2.0
//
// Where the board can be looked at: HTTP/1.1 on loopback or a unix socket, for reading only.
//
// PROMISE  D1  Nothing can be changed through it: GET and HEAD, no body, no path but those of its
//              table, no file.
//          D2  Bounded: connections, viewers, header bytes, the time of every step, and what waits
//              to be sent, whoever is at the other end. What is over is closed or answered with a
//              4xx; the ticks of the daemon go on.
//          D3  Only who names this host and, where one is set, gives the token is answered.
// SHARING  One thread, that of the loop.
// ERRORS   An address that cannot be had is told when it is opened; afterwards nothing fails but
//          single connections.
#pragma once

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

#include <ratecoord/result.hpp>

#include "coordinatord/config.hpp"
#include "coordinatord/site.hpp"

namespace coordinatord {

struct DoorOptions {
    std::chrono::milliseconds request_time = std::chrono::seconds(10);  ///< to send a request
    std::chrono::milliseconds idle_time = std::chrono::seconds(30);     ///< between two requests
    std::chrono::milliseconds send_time = std::chrono::seconds(10);     ///< to take an answer
    std::size_t connections = 256;
    std::size_t viewers = 16;
    std::string group;  ///< of the unix socket; empty: the daemon's own
};

class Door {
  public:
    static ratecoord::Result<Door> open(boost::asio::io_context& loop, const ListenConfig& listen,
                                        std::shared_ptr<Site> site, DoorOptions options = {});
    Door(Door&&) noexcept;
    Door& operator=(Door&&) = delete;
    /// Closes every connection and removes the unix socket.
    ~Door();

    /// To be called when the board may have changed: viewers get the newest event.
    void tell_viewers();
    /// Of TCP; 0 on a unix socket.
    std::uint16_t port() const;
    std::size_t connections() const;
    std::size_t viewers() const;

  private:
    class Core;
    explicit Door(std::shared_ptr<Core> core);

    std::shared_ptr<Core> core_;
};

}  // namespace coordinatord
