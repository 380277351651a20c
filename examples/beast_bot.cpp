// SPDX-License-Identifier: Apache-2.0
//
// The bot over Boost.Beast. Its loop runs for one exchange at a time: that is how a stream times
// out.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#ifdef BOT_HAS_TLS
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#endif

#include <ratecoord/beast.hpp>

#include "bot.hpp"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Error = beast::error_code;
using ratecoord::Phase;
using ratecoord::Reply;

struct Address {
    bool is_secure = false;
    std::string host;
    std::string port;
};

Address parse(const std::string& url) {
    Address address;
    address.is_secure = url.starts_with("https://");
    if (!address.is_secure && !url.starts_with("http://")) {
        throw std::runtime_error("the venue '" + url + "' is no http URL");
    }
    std::string rest = url.substr(address.is_secure ? 8 : 7);
    rest = rest.substr(0, rest.find('/'));
    const auto colon = rest.rfind(':');
    address.host = rest.substr(0, colon);
    address.port =
        colon == std::string::npos ? (address.is_secure ? "443" : "80") : rest.substr(colon + 1);
    return address;
}

class BeastLink : public bot::Link {
  public:
    BeastLink(const bot::Options& options, Address address)
        : timeout_(options.timeout), account_(options.account), address_(std::move(address)) {}

    Reply send(std::string_view method, const std::string& target) override {
        http::request<http::empty_body> request;
        request.version(11);
        request.method_string({method.data(), method.size()});
        request.target({target.data(), target.size()});
        request.set(http::field::host, address_.host);
        request.set("X-Account", account_);
        request.prepare_payload();
        if (!is_connected_) {
            if (const auto failed = connect()) return ratecoord::failed_reply(*failed);
        }
        const Reply reply = exchange(request);
        is_connected_ = exchange_.keeps_alive();
        return reply;
    }

  protected:
    using Connected = std::function<void(std::optional<Phase>)>;
    virtual void open(const asio::ip::tcp::resolver::results_type& addresses, Connected done) = 0;
    virtual Reply exchange(http::request<http::empty_body>& request) = 0;

    void run() {
        loop_.restart();
        loop_.run();
    }

    asio::io_context loop_;
    std::chrono::milliseconds timeout_;
    std::string account_;
    Address address_;
    ratecoord::BeastExchange exchange_;

  private:
    /// Where it failed, or nothing.
    std::optional<Phase> connect() {
        Error error;
        const auto addresses =
            asio::ip::tcp::resolver(loop_).resolve(address_.host, address_.port, error);
        if (error) return Phase::resolve;
        std::optional<Phase> failed;
        open(addresses, [&](std::optional<Phase> where) { failed = where; });
        run();
        is_connected_ = !failed;
        exchange_.reset();
        return failed;
    }

    bool is_connected_ = false;
};

class PlainLink final : public BeastLink {
  public:
    using BeastLink::BeastLink;

  private:
    void open(const asio::ip::tcp::resolver::results_type& addresses, Connected done) override {
        stream_.emplace(loop_);
        stream_->expires_after(timeout_);
        stream_->async_connect(addresses, [done](Error error, const auto&) {
            done(error ? std::optional(Phase::connect) : std::nullopt);
        });
    }
    Reply exchange(http::request<http::empty_body>& request) override {
        Reply result;
        stream_->expires_after(timeout_);
        exchange_.async_perform(*stream_, request, [&](Reply reply) { result = reply; });
        run();
        return result;
    }

    std::optional<beast::tcp_stream> stream_;
};

#ifdef BOT_HAS_TLS
class SecureLink final : public BeastLink {
  public:
    SecureLink(const bot::Options& options, Address address)
        : BeastLink(options, std::move(address)) {
        context_.set_default_verify_paths();
        context_.set_verify_mode(asio::ssl::verify_peer);
    }

  private:
    using Stream = beast::ssl_stream<beast::tcp_stream>;

    void open(const asio::ip::tcp::resolver::results_type& addresses, Connected done) override {
        stream_ = std::make_unique<Stream>(loop_, context_);
        SSL_set_tlsext_host_name(stream_->native_handle(), address_.host.c_str());
        stream_->set_verify_callback(asio::ssl::host_name_verification(address_.host));
        beast::get_lowest_layer(*stream_).expires_after(timeout_);
        beast::get_lowest_layer(*stream_).async_connect(
            addresses, [this, done](Error error, const auto&) {
                if (error) return done(Phase::connect);
                stream_->async_handshake(asio::ssl::stream_base::client, [done](Error failed) {
                    done(failed ? std::optional(Phase::secure) : std::nullopt);
                });
            });
    }
    Reply exchange(http::request<http::empty_body>& request) override {
        Reply result;
        beast::get_lowest_layer(*stream_).expires_after(timeout_);
        exchange_.async_perform(*stream_, request, [&](Reply reply) { result = reply; });
        run();
        return result;
    }

    asio::ssl::context context_{asio::ssl::context::tls_client};
    std::unique_ptr<Stream> stream_;
};
#endif

std::unique_ptr<bot::Link> link_to(const bot::Options& options) {
    Address address = parse(options.venue);
    if (!address.is_secure) return std::make_unique<PlainLink>(options, std::move(address));
#ifdef BOT_HAS_TLS
    return std::make_unique<SecureLink>(options, std::move(address));
#else
    throw std::runtime_error("this beast-bot was built without OpenSSL: https is not to be had");
#endif
}

}  // namespace

int main(int argc, char** argv) {
    int status = 0;
    const auto options = bot::read_options(argc, argv, "beast-bot", status);
    if (!options) return status;
    try {
        const auto link = link_to(*options);
        return bot::run(*options, *link);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "beast-bot: %s\n", error.what());
        return 1;
    }
}
