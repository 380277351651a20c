// SPDX-License-Identifier: Apache-2.0
//
// What systemd would hear of a service: the socket that $NOTIFY_SOCKET names.
//
// PROMISE  While it lives, programs that are started notify it. A program that keeps its watchdog says
//          so at each of its ticks: hearing one twice means that a whole tick has passed.
// SHARING  One at a time: it changes the environment.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace ratecoord::testing {

class NotifySocket {
  public:
    explicit NotifySocket(const std::string& directory) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = directory + "/notify";
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        timeval patience{.tv_sec = 60, .tv_usec = 0};
        if (fd_ < 0 || ::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
            ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) {
            throw std::runtime_error("no socket at " + path);
        }
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
        ::setenv("WATCHDOG_USEC", "200000", 1);
    }
    ~NotifySocket() {
        ::unsetenv("NOTIFY_SOCKET");
        ::unsetenv("WATCHDOG_USEC");
        ::close(fd_);
    }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    /// The next notification that contains `what`; empty if none comes for a minute.
    std::string wait_for(const std::string& what) const {
        char text[4096];
        for (;;) {
            const auto length = ::recv(fd_, text, sizeof text, 0);
            if (length < 0) return {};
            const std::string heard(text, static_cast<std::size_t>(length));
            if (heard.find(what) != std::string::npos) return heard;
        }
    }
    /// A tick that began after this call has ended.
    bool pass_a_tick() const {
        drain();
        return !wait_for("WATCHDOG=1").empty() && !wait_for("WATCHDOG=1").empty();
    }

  private:
    void drain() const {
        char text[4096];
        while (::recv(fd_, text, sizeof text, MSG_DONTWAIT) >= 0) {
        }
    }

    int fd_ = -1;
};

}  // namespace ratecoord::testing
