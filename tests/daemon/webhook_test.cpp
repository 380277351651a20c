// SPDX-License-Identifier: Apache-2.0
//
// Webhooks, against a listener on loopback.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "coordinatord/hooks.hpp"
#include "support/catch.hpp"

using namespace coordinatord;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 60s;

/// Answers each connection with the next of `answers`; an empty one leaves it hanging.
class Listener {
  public:
    explicit Listener(std::vector<std::string> answers) : answers_(std::move(answers)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* raw = reinterpret_cast<sockaddr*>(&address);
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        REQUIRE(::bind(fd_, raw, length) == 0);
        REQUIRE(::listen(fd_, 8) == 0);
        REQUIRE(::getsockname(fd_, raw, &length) == 0);
        port_ = ntohs(address.sin_port);
        server_ = std::thread([this] { serve(); });
    }
    ~Listener() {
        ::shutdown(fd_, SHUT_RDWR);
        finish();
        ::close(fd_);
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/secret"; }
    /// What was asked, once all answers have been given.
    const std::vector<std::string>& finish() {
        if (server_.joinable()) server_.join();
        return requests_;
    }

  private:
    void serve() {
        std::vector<int> hanging;
        for (const auto& answer : answers_) {
            const int client = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
            if (client < 0) break;
            requests_.push_back(read_request(client));
            if (answer.empty()) {
                hanging.push_back(client);
                continue;
            }
            const auto sent = ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
            if (sent != static_cast<ssize_t>(answer.size())) requests_.push_back("not answered");
            ::close(client);
        }
        for (const int client : hanging) {
            // The other side gives up; then there is nothing more to read.
            char left;
            static_cast<void>(::recv(client, &left, 1, 0));
            ::close(client);
        }
    }
    static std::string read_request(int client) {
        std::string text;
        char part[4096];
        while (text.find("}\n") == std::string::npos) {
            const auto length = ::recv(client, part, sizeof part, 0);
            if (length <= 0) break;
            text.append(part, static_cast<std::size_t>(length));
        }
        return text;
    }

    std::vector<std::string> answers_;
    std::vector<std::string> requests_;
    int fd_ = -1;
    std::uint16_t port_ = 0;
    std::thread server_;
};

const std::string fine = "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n";

HookConfig webhook(const std::string& url, std::chrono::nanoseconds timeout = 30s) {
    HookConfig hook;
    hook.name = "web";
    hook.url = url;
    hook.timeout = timeout;
    return hook;
}

const Event event{"ban", "binance", "bot-7", "stopped", 1'700'000'000'000'000'000};

}  // namespace

TEST_CASE("a webhook gets the event as JSON in a POST") {
    Listener listener({fine});
    Hooks hooks({webhook(listener.url())});
    hooks.post(event);
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().done == 1);
    const auto& requests = listener.finish();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].rfind("POST /secret HTTP/1.1\r\n", 0) == 0);
    CHECK(requests[0].find("Content-Type: application/json\r\n") != std::string::npos);
    const auto body = nlohmann::json::parse(requests[0].substr(requests[0].find("\r\n\r\n")));
    CHECK(body["event"] == "ban");
    CHECK(body["hook"] == "web");
}

TEST_CASE(
    "a webhook that answers with an error or a redirect has failed; no redirect is followed") {
    Listener target({fine});
    Listener listener(
        {"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
         "HTTP/1.1 302 Found\r\nLocation: " + target.url() + "\r\nContent-Length: 0\r\n\r\n"});
    Hooks hooks({webhook(listener.url())});
    hooks.post(event);
    hooks.post(event);
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().failed == 2);
    CHECK(listener.finish().size() == 2);
}

TEST_CASE("a webhook that does not answer is given up when its time is over") {
    Listener listener({""});
    Hooks hooks({webhook(listener.url(), 100ms)});
    hooks.post(event);
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().timed_out == 1);
}

TEST_CASE("a proxy in the environment is not used for a webhook") {
    ::setenv("http_proxy", "http://127.0.0.1:1", 1);
    Listener listener({fine});
    Hooks hooks({webhook(listener.url())});
    hooks.post(event);
    REQUIRE(hooks.settle(patience));
    ::unsetenv("http_proxy");
    CHECK(hooks.counts().done == 1);
}

TEST_CASE("a webhook speaks nothing but http and https") {
    Hooks hooks({webhook("file:///etc/hostname")});
    hooks.post(event);
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().failed == 1);
}

TEST_CASE("the end of the daemon ends a webhook that hangs") {
    Listener listener({""});
    {
        Hooks hooks({webhook(listener.url(), 24h)});
        hooks.post(event);
    }
    SUCCEED();  // had it not been ended, this line would not be reached
}
