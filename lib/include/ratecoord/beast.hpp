// SPDX-License-Identifier: Apache-2.0
//
// Replies of Boost.Beast, for Budget::observe, call and place_order, over any stream.
//
//     ratecoord::BeastExchange exchange;
//     auto result = ratecoord::call(budget, depth, {}, [&](const Permit&) {
//         if (!connect(stream)) return ratecoord::failed_reply(ratecoord::Phase::connect);
//         return exchange.perform(stream, request);
//     });
//
// PROMISE  Sends the request once and reads one reply. not_sent is said only where the stream took
//          no byte of it; connecting, and what that proves, is the caller's.
//          Header lines and body are views of the response it holds.
// NEEDS    perform(): a stream that times out by itself. async_perform(): the exchange, the stream
//          and the request outlive it; a timeout is the stream's (tcp_stream::expires_after).
// SHARING  One request at a time; one exchange for each connection, for it keeps what was read
//          ahead.
#pragma once

#include <boost/asio/compose.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include <ratecoord/headers.hpp>

namespace ratecoord {

/// Views of a response that is held elsewhere, also of the one that refused a WebSocket handshake.
template <class Body, class Fields>
Reply reply_of(const boost::beast::http::response<Body, Fields>& response,
               HeaderViews& views) noexcept {
    views.clear();
    for (const auto& field : response) {
        const auto name = field.name_string();
        const auto value = field.value();
        views.add({name.data(), name.size()}, {value.data(), value.size()});
    }
    Reply reply;
    reply.status = static_cast<int>(response.result_int());
    reply.headers = views.span();
    if constexpr (requires { std::string_view(response.body()); }) reply.body = response.body();
    return reply;
}

class BeastExchange {
  public:
    using Response = boost::beast::http::response<boost::beast::http::string_body>;

    /// Views last until the next request. Never throws.
    template <class Stream, class Body, class Fields>
    Reply perform(Stream& stream, boost::beast::http::request<Body, Fields>& request) noexcept {
        start(request.method());
        try {
            boost::beast::error_code error;
            const std::size_t sent = boost::beast::http::write(stream, request, error);
            if (error) return failed_reply(Phase::send, sent);
            boost::beast::http::read(stream, buffer_, *parser_, error);
            return finish(error);
        } catch (...) {
            return failed_reply(Phase::wait);
        }
    }

    /// Completes with void(Reply). `token` is any Asio completion token.
    template <class Stream, class Body, class Fields, class Token>
    auto async_perform(Stream& stream, boost::beast::http::request<Body, Fields>& request,
                       Token&& token) {
        start(request.method());
        return boost::asio::async_compose<Token, void(Reply)>(
            Operation<Stream, Body, Fields>{*this, stream, request}, token, stream);
    }

    /// Whether the connection may carry another request.
    bool keeps_alive() const noexcept { return keeps_alive_; }
    /// After a new connection: what was read ahead on the old one is forgotten.
    void reset() noexcept { buffer_.consume(buffer_.size()); }

    /// Longest body that is read; what is longer is not whole.
    static constexpr std::uint64_t body_most = std::uint64_t{16} << 20;

  private:
    using Error = boost::beast::error_code;

    template <class Stream, class Body, class Fields>
    struct Operation {
        BeastExchange& exchange;
        Stream& stream;
        boost::beast::http::request<Body, Fields>& request;
        bool is_written = false;
        bool is_started = false;

        template <class Self>
        void operator()(Self& self, Error error = {}, std::size_t bytes = 0) {
            if (!std::exchange(is_started, true)) {
                return boost::beast::http::async_write(stream, request, std::move(self));
            }
            if (std::exchange(is_written, true)) return self.complete(exchange.finish(error));
            if (error) return self.complete(failed_reply(Phase::send, bytes));
            boost::beast::http::async_read(stream, exchange.buffer_, *exchange.parser_,
                                           std::move(self));
        }
    };

    void start(boost::beast::http::verb method) noexcept {
        parser_.emplace();
        parser_->skip(method == boost::beast::http::verb::head);
        parser_->body_limit(body_most);
        keeps_alive_ = false;
    }

    Reply finish(Error error) noexcept {
        if (!parser_->is_header_done()) return failed_reply(Phase::wait);
        Reply reply = reply_of(parser_->get(), views_);
        reply.is_whole = !error && parser_->is_done();
        reply.received_at = BootClock::now();
        keeps_alive_ = reply.is_whole && parser_->keep_alive();
        return reply;
    }

    boost::beast::flat_buffer buffer_;
    std::optional<boost::beast::http::response_parser<boost::beast::http::string_body>> parser_;
    HeaderViews views_;
    bool keeps_alive_ = false;
};

}  // namespace ratecoord
