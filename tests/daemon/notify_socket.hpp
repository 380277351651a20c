// SPDX-License-Identifier: Apache-2.0
//
// What systemd would hear of a service: the socket that $NOTIFY_SOCKET names.
//
// PROMISE  While it lives, programs that are started notify it. A program that keeps its watchdog says
//          so at each of its ticks: hearing one twice means that a whole tick has passed.
//          It always reads, as systemd does: a program never waits for room to notify it.
// SHARING  One at a time: it changes the environment.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace ratecoord::testing {

class NotifySocket {
  public:
    explicit NotifySocket(const std::string& directory) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = directory + "/notify";
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        end_ = ::eventfd(0, EFD_CLOEXEC);
        if (fd_ < 0 || end_ < 0 ||
            ::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            throw std::runtime_error("no socket at " + path);
        }
        reader_ = std::thread([this] { read_until_the_end(); });
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
        ::setenv("WATCHDOG_USEC", "200000", 1);
    }
    ~NotifySocket() {
        ::unsetenv("NOTIFY_SOCKET");
        ::unsetenv("WATCHDOG_USEC");
        ::eventfd_write(end_, 1);
        reader_.join();
        ::close(end_);
        ::close(fd_);
    }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    /// The next notification that contains `what`; empty if none comes for a minute.
    std::string wait_for(const std::string& what) {
        std::unique_lock lock(mutex_);
        while (came_.wait_for(lock, std::chrono::minutes(1), [this] { return !heard_.empty(); })) {
            const auto next = std::move(heard_.front());
            heard_.pop_front();
            if (next.find(what) != std::string::npos) return next;
        }
        return {};
    }
    /// A tick that began after this call has ended.
    bool pass_a_tick() {
        {
            const std::lock_guard lock(mutex_);
            read_what_came();
            heard_.clear();
        }
        return !wait_for("WATCHDOG=1").empty() && !wait_for("WATCHDOG=1").empty();
    }

  private:
    void read_until_the_end() {
        for (;;) {
            pollfd ready[] = {{.fd = fd_, .events = POLLIN, .revents = 0},
                              {.fd = end_, .events = POLLIN, .revents = 0}};
            if (::poll(ready, 2, -1) > 0 && ready[1].revents != 0) return;
            const std::lock_guard lock(mutex_);
            read_what_came();
            came_.notify_all();
        }
    }
    void read_what_came() {
        char text[4096];
        ssize_t length = 0;
        while ((length = ::recv(fd_, text, sizeof text, MSG_DONTWAIT)) >= 0) {
            heard_.emplace_back(text, static_cast<std::size_t>(length));
        }
    }

    int fd_ = -1;
    int end_ = -1;
    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<std::string> heard_;
    std::thread reader_;
};

}  // namespace ratecoord::testing
