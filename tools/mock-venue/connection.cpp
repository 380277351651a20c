// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/connection.hpp"

#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <ctime>
#include <utility>

#include "mock-venue/admin.hpp"

namespace mock_venue {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::uint32_t largest_head = std::uint32_t{16} * 1024;
constexpr std::uint64_t largest_body = std::uint64_t{256} * 1024;

std::string_view view(boost::beast::string_view text) {
    return {text.data(), text.size()};
}

Nanos boot_time_now() {
    ::timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return std::chrono::seconds{now.tv_sec} + Nanos{now.tv_nsec};
}

// Beast's table of reasons does not know this one.
std::string_view reason_of(unsigned status) {
    return status == 418 ? "I'm a teapot" : "";
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, Venue& venue, std::function<void()> on_quit)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      venue_(venue),
      on_quit_(std::move(on_quit)) {
    Error error;
    socket_.set_option(asio::ip::tcp::no_delay(true), error);
    const auto peer = socket_.remote_endpoint(error);
    if (!error) address_ = peer.address().to_string();
}

void Connection::start() {
    read_head();
}

void Connection::read_head() {
    parser_.emplace();
    parser_->header_limit(largest_head);
    parser_->body_limit(largest_body);
    http::async_read_header(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](Error error, std::size_t) { self->on_head(error); });
}

void Connection::on_head(Error error) {
    if (error) return close();
    arrived_ = std::chrono::time_point_cast<Nanos>(std::chrono::system_clock::now());
    boot_time_ = boot_time_now();
    if (parser_->is_done()) return respond();
    // curl sends this for larger bodies and waits a second for the answer.
    if (view(parser_->get()[http::field::expect]) != "100-continue") return read_rest();
    response_ = {http::status::continue_, parser_->get().version()};
    http::async_write(socket_, response_, [self = shared_from_this()](Error failed, std::size_t) {
        if (failed) return self->close();
        self->read_rest();
    });
}

void Connection::read_rest() {
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](Error error, std::size_t) {
                         if (error) return self->close();
                         self->respond();
                     });
}

void Connection::respond() {
    send_after(decide());
}

Reply Connection::decide() {
    const auto& message = parser_->get();
    std::vector<HeaderView> headers;
    for (const auto& field : message) {
        headers.push_back({view(field.name_string()), view(field.value())});
    }
    const std::string_view target = view(message.target());
    const auto question = target.find('?');
    Request request;
    request.now = arrived_;
    request.boot_time = boot_time_;
    request.method = view(message.method_string());
    request.path = target.substr(0, question);
    request.address = address_;
    request.headers = headers;
    if (question != std::string_view::npos) {
        read_parameters(target.substr(question + 1), request.parameters);
    }
    const auto type = view(message[http::field::content_type]);
    if (type.starts_with("application/x-www-form-urlencoded")) {
        read_parameters(message.body(), request.parameters);
    }
    if (!is_admin(request.path)) return venue_.answer(request);
    AdminAnswer answer = answer_admin(venue_, request);
    quit_ = answer.quit;
    return std::move(answer.reply);
}

void Connection::send_after(Reply reply) {
    if (reply.delay <= Nanos::zero()) return send(std::move(reply));
    timer_.expires_after(reply.delay);
    timer_.async_wait([self = shared_from_this(), late = std::move(reply)](Error error) mutable {
        if (error) return self->close();
        self->send(std::move(late));
    });
}

void Connection::send(Reply reply) {
    if (reply.closes_unanswered()) return close();
    const auto& message = parser_->get();
    response_ = {};
    response_.version(message.version());
    response_.result(reply.status);
    const std::string_view reason = reason_of(reply.status);
    response_.reason({reason.data(), reason.size()});
    response_.set(http::field::date, http_date(arrived_));
    response_.set(http::field::content_type, reply.content_type);
    for (const auto& [name, value] : reply.headers) response_.insert(name, value);
    response_.keep_alive(message.keep_alive());
    response_.content_length(reply.body.size());
    // A reply to HEAD has the headers of a GET and no body.
    if (message.method() != http::verb::head) response_.body() = std::move(reply.body);
    http::async_write(socket_, response_, [self = shared_from_this()](Error error, std::size_t) {
        if (self->quit_) return self->on_quit_();
        if (error || !self->response_.keep_alive()) return self->close();
        self->read_head();
    });
}

void Connection::close() {
    Error ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
}

}  // namespace mock_venue
