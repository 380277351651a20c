// SPDX-License-Identifier: Apache-2.0
//
// A server on loopback that answers with given bytes, and breaks off where it is told to.
//
// PROMISE  Connections are served one after the other, each by its own script. Every request that
//          arrived whole is remembered.
// SHARING  Made and asked by one thread; it serves in its own.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ratecoord::testing {

class WireServer {
  public:
    enum class Then { go_on, close, reset };
    struct Turn {
        std::string answer = {};  ///< empty: none
        Then then = Then::go_on;
        std::size_t read_most = 1u << 30;  ///< of the request, before it answers
    };
    using Connection = std::vector<Turn>;

    explicit WireServer(std::vector<Connection> script) : script_(std::move(script)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        if (listener_ < 0 || ::bind(listener_, any, size) != 0 || ::listen(listener_, 64) != 0 ||
            ::getsockname(listener_, any, &size) != 0) {
            throw std::runtime_error("no server on loopback");
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { run(); });
    }
    ~WireServer() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    WireServer(const WireServer&) = delete;
    WireServer& operator=(const WireServer&) = delete;

    std::uint16_t port() const { return port_; }
    std::string url(const std::string& path = "/") const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }
    /// First lines of those that arrived whole.
    std::vector<std::string> requests() const {
        const std::scoped_lock held(mutex_);
        return requests_;
    }

  private:
    void run() {
        for (const Connection& connection : script_) {
            const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0) return;
            serve(fd, connection);
            ::close(fd);
        }
    }

    void serve(int fd, const Connection& connection) {
        std::string pending;
        for (const Turn& turn : connection) {
            if (!read_request(fd, pending, turn.read_most)) return;
            std::size_t sent = 0;
            while (sent < turn.answer.size()) {
                const auto part =
                    ::send(fd, turn.answer.data() + sent, turn.answer.size() - sent, MSG_NOSIGNAL);
                if (part <= 0) return;
                sent += static_cast<std::size_t>(part);
            }
            if (turn.then == Then::close) return;
            if (turn.then == Then::reset) {
                const linger now{1, 0};
                ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
                return;
            }
        }
        char rest[4096];
        while (::recv(fd, rest, sizeof rest, 0) > 0) {
        }
    }

    /// False at the end of the connection. Stops early after `most` bytes.
    bool read_request(int fd, std::string& pending, std::size_t most) {
        for (;;) {
            const auto head = pending.find("\r\n\r\n");
            if (head != std::string::npos && pending.size() >= head + 4 + body_length(pending)) {
                const std::scoped_lock held(mutex_);
                requests_.push_back(pending.substr(0, pending.find("\r\n")));
                pending.erase(0, head + 4 + body_length(pending));
                return true;
            }
            if (pending.size() >= most) return true;
            char part[4096];
            const auto got = ::recv(fd, part, std::min(sizeof part, most - pending.size()), 0);
            if (got <= 0) return false;
            pending.append(part, static_cast<std::size_t>(got));
        }
    }

    static std::size_t body_length(const std::string& request) {
        constexpr std::string_view name = "Content-Length: ";
        const auto at = request.find(name);
        std::size_t length = 0;
        if (at != std::string::npos) {
            std::from_chars(request.data() + at + name.size(), request.data() + request.size(),
                            length);
        }
        return length;
    }

    std::vector<Connection> script_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

inline std::string http_answer(int status, const std::string& body = "{}",
                               const std::string& headers = {}) {
    return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace ratecoord::testing
