// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 on 127.0.0.1: reads requests, stamps their arrival, sends what the venue says.
//
// One thread, any number of keep-alive connections; nothing blocks, late answers wait on timers.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "mock-venue/options.hpp"

namespace mock_venue {

// The world does not let the venue open. what() is the message without the program's name.
class StartError : public std::runtime_error {
  public:
    StartError(const std::string& message, std::string hint)
        : std::runtime_error(message), hint_(std::move(hint)) {}

    const std::string& hint() const { return hint_; }

  private:
    std::string hint_;
};

class Server {
  public:
    // Opens the log and the port. Throws StartError.
    explicit Server(const Options& options);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::uint16_t port() const;

    // Serves until POST /_mock/quit, SIGTERM, SIGINT or the end of run_for. Returns false if the
    // log is incomplete.
    bool run();

  private:
    class Core;
    std::unique_ptr<Core> core_;
};

}  // namespace mock_venue
