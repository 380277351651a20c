// SPDX-License-Identifier: Apache-2.0
#include "curl_reply.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <ratecoord/curl.hpp>
#include <string>
#include <thread>
#include <vector>

#include "stage.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Answers the first connection to a port of loopback, whatever it asks.
class OneAnswer {
  public:
    explicit OneAnswer(std::string answer) : answer_(std::move(answer)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        if (listener_ < 0 || ::bind(listener_, any, size) != 0 || ::listen(listener_, 1) != 0 ||
            ::getsockname(listener_, any, &size) != 0) {
            give_up("no port of loopback");
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~OneAnswer() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    OneAnswer(const OneAnswer&) = delete;
    OneAnswer& operator=(const OneAnswer&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

  private:
    void serve() const {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) return;
        // What is lost here is missed by the transfer, which then fails.
        (void)::send(fd, answer_.data(), answer_.size(), MSG_NOSIGNAL);
        char request[4096];
        while (::recv(fd, request, sizeof request, 0) > 0) {
        }
        ::close(fd);
    }

    std::string answer_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

/// One transfer of libcurl, and the reply that it brought.
class Transfer {
  public:
    explicit Transfer(const std::string& url) : easy_(curl_easy_init()), exchange_(easy_) {
        curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
        curl_easy_setopt(easy_, CURLOPT_PROXY, "");
        reply_ = exchange_.perform(body_);
        if (reply_.status != 200) give_up("libcurl brought no reply");
    }
    ~Transfer() { curl_easy_cleanup(easy_); }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    const ratecoord::Reply& reply() const { return reply_; }

  private:
    CURL* easy_;
    ratecoord::CurlExchange exchange_;
    std::string body_;
    ratecoord::Reply reply_;
};

/// What Binance sends with every reply, as far as it has been seen; nobody else drew anything.
std::string usual_answer() {
    return "HTTP/1.1 200 OK\r\n"
           "Content-Type: application/json;charset=UTF-8\r\n"
           "Content-Length: 2\r\n"
           "Connection: close\r\n"
           "Date: Tue, 01 Jan 2030 00:00:03 GMT\r\n"
           "Server: nginx\r\n"
           "Vary: Accept-Encoding\r\n"
           "x-mbx-uuid: 5a3a1c6c-0c8f-4f0c-9f5e-1d1f0a6d7c3b\r\n"
           "x-mbx-used-weight: 1\r\n"
           "x-mbx-used-weight-1m: 1\r\n"
           "Strict-Transport-Security: max-age=31536000; includeSubdomains\r\n"
           "X-Frame-Options: SAMEORIGIN\r\n"
           "X-Xss-Protection: 1; mode=block\r\n"
           "X-Content-Type-Options: nosniff\r\n"
           "Content-Security-Policy: default-src 'self'\r\n"
           "X-Content-Security-Policy: default-src 'self'\r\n"
           "X-WebKit-CSP: default-src 'self'\r\n"
           "Cache-Control: no-cache, no-store, must-revalidate\r\n"
           "Pragma: no-cache\r\n"
           "Expires: 0\r\n"
           "X-Cache: Miss from cloudfront\r\n"
           "Via: 1.1 0123456789abcdef.cloudfront.net (CloudFront)\r\n"
           "X-Amz-Cf-Pop: FRA56-P1\r\n"
           "Alt-Svc: h3=\":443\"; ma=86400\r\n"
           "X-Amz-Cf-Id: 0123456789abcdef0123456789abcdef0123456789abcdef\r\n"
           "\r\n{}";
}

/// Binance Spot with limits that never hold the benchmark up.
ratecoord::Budget roomy_binance(Stage& stage) {
    const std::string path = stage.directory() + "/roomy.toml";
    std::ofstream(path) << "extends = \"binance-spot\"\nname = \"roomy\"\n"
                           "budget = \"bench-roomy\"\nas_of = 2030-01-01\n"
                           "[limits.weight]\nquota = 2000000000\nwindow = \"1d\"\n"
                           "spread = false\n"
                           "[limits.raw]\nquota = 2000000000\nwindow = \"1d\"\n";
    const auto profile = must(ratecoord::Profile::load(path));
    return must(
        ratecoord::Budget::open(profile.budget(), profile, {.label = "bench", .full = true}));
}

/// Median of what one observe takes, less what two looks at the clock take.
double median_observe_ns(ratecoord::Budget& budget, const ratecoord::Reply& reply) {
    const auto cost = must(budget.operation("ping"));
    std::vector<double> spent;
    for (int i = 0; i < 20'000; ++i) {
        auto decision = must(budget.try_acquire(cost));
        if (!decision) give_up("a roomy budget refused");
        const auto begin = Clock::now();
        (void)must(budget.observe(decision.permit(), reply));
        const auto between = Clock::now();
        const auto end = Clock::now();
        spent.push_back(static_cast<double>(((between - begin) - (end - between)).count()));
    }
    const auto middle = spent.begin() + static_cast<std::ptrdiff_t>(spent.size() / 2);
    std::nth_element(spent.begin(), middle, spent.end());
    return *middle;
}

}  // namespace

void measure_observe(Verdicts& verdicts) {
    Stage stage;
    auto budget = roomy_binance(stage);
    const OneAnswer venue(usual_answer());
    const Transfer transfer(venue.url());
    verdicts.add("observe, Binance's reply of " + std::to_string(transfer.reply().headers.size()) +
                     " headers through libcurl",
                 median_observe_ns(budget, transfer.reply()), "ns", Bar::at_most(2000));
}

}  // namespace bench
