// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/session.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace coordinatord {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::string_view plain = "text/plain; charset=utf-8";

std::string_view view(boost::beast::string_view text) {
    return {text.data(), text.size()};
}

template <class Fields>
void add_protections(Fields& fields) {
    fields.set("Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
               "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    fields.set("X-Content-Type-Options", "nosniff");
    fields.set("Referrer-Policy", "no-referrer");
    fields.set("Cross-Origin-Resource-Policy", "same-origin");
    fields.set(http::field::cache_control, "no-store");
}

http::status status_of(const boost::beast::error_code& error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
        return http::status::request_header_fields_too_large;
    }
    if (error == http::error::body_limit) return http::status::payload_too_large;
    return http::status::bad_request;
}

bool is_of_http(const boost::beast::error_code& error) {
    static const auto& category = make_error_code(http::error::end_of_stream).category();
    return error.category() == category && error != http::error::end_of_stream &&
           error != http::error::partial_message;
}

}  // namespace

Session::Session(Socket socket, std::shared_ptr<Reception> reception)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      reception_(std::move(reception)),
      buffer_(2 * std::size_t{largest_head}) {
    ++reception_->sessions;
}

Session::~Session() {
    --reception_->sessions;
    if (is_viewer_) --reception_->viewers;
}

void Session::limit_time(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([weak = weak_from_this()](Error error) {
        const auto self = weak.lock();
        // A timer set anew may have run out already, with its handler on the way.
        if (error || !self || self->timer_.expiry() > asio::steady_timer::clock_type::now()) return;
        self->close();
    });
}

void Session::start() {
    limit_time(reception_->options.request_time);
    read_head();
}

void Session::wait_for_request() {
    if (buffer_.size() > 0) return start();
    limit_time(reception_->options.idle_time);
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](Error error) {
        if (error) return self->close();
        self->start();
    });
}

void Session::read_head() {
    parser_.emplace();
    parser_->header_limit(largest_head);
    parser_->body_limit(1);
    http::async_read_header(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](Error error, std::size_t) { self->on_head(error); });
}

void Session::on_head(Error error) {
    if (error && is_of_http(error)) return refuse(status_of(error));
    if (error) return close();
    answer();
}

std::optional<http::status> Session::objection() const {
    const auto& request = parser_->get();
    const auto& admission = reception_->admission;
    const auto target = view(request.target());
    const auto path = target.substr(0, target.find('?'));
    if (parser_->chunked() || parser_->content_length().value_or(0) > 0) {
        return http::status::payload_too_large;
    }
    if (request.count(http::field::host) != 1 && admission.checks_host) {
        return http::status::bad_request;
    }
    if (!admits_host(admission, view(request[http::field::host]))) {
        return http::status::misdirected_request;
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
        return http::status::method_not_allowed;
    }
    if (reception_->site->needs_token(path) &&
        !admits_token(admission, view(request[http::field::authorization]),
                      target.substr(std::min(path.size() + 1, target.size())))) {
        return http::status::unauthorized;
    }
    if (!reception_->site->has(path)) return http::status::not_found;
    return std::nullopt;
}

void Session::answer() {
    if (const auto status = objection()) return refuse(*status);
    const auto& request = parser_->get();
    const auto target = view(request.target());
    const auto path = target.substr(0, target.find('?'));
    if (path != events_path) {
        return send(http::status::ok, *reception_->site->show(path), request.keep_alive());
    }
    if (request.method() == http::verb::head) {
        return send(http::status::ok, {"text/event-stream", std::make_shared<const std::string>()},
                    false);
    }
    if (reception_->viewers >= reception_->options.viewers) {
        return refuse(http::status::service_unavailable);
    }
    become_viewer();
}

void Session::refuse(http::status status) {
    const auto reason = http::obsolete_reason(status);
    send(
        status,
        {std::string(plain), std::make_shared<const std::string>(std::string(view(reason)) + "\n")},
        false);
}

void Session::send(http::status status, Site::Shown shown, bool stays) {
    const bool is_head = parser_->get().method() == http::verb::head;
    text_ = std::move(shown.text);
    answer_ = Answer(status, 11);
    answer_.set(http::field::content_type, shown.type);
    add_protections(answer_);
    if (status == http::status::method_not_allowed) answer_.set(http::field::allow, "GET, HEAD");
    if (status == http::status::unauthorized) answer_.set(http::field::www_authenticate, "Bearer");
    if (status == http::status::service_unavailable) answer_.set(http::field::retry_after, "10");
    answer_.keep_alive(stays);
    answer_.content_length(text_->size());
    if (!is_head) answer_.body() = {text_->data(), text_->size()};
    limit_time(reception_->options.send_time);
    http::async_write(
        socket_, answer_, [self = shared_from_this(), stays](Error error, std::size_t) {
            self->text_.reset();
            if (error) return self->close();
            if (stays) return self->wait_for_request();
            // What is still coming is read a little: a reset could overtake the answer.
            Error ignored;
            self->socket_.shutdown(Socket::shutdown_send, ignored);
            self->limit_time(
                std::min(self->reception_->options.request_time, std::chrono::milliseconds(1000)));
            self->drain();
        });
}

void Session::drain() {
    constexpr std::size_t most = 256 * 1024;
    socket_.async_read_some(asio::buffer(unread_),
                            [self = shared_from_this()](Error error, std::size_t size) {
                                self->drained_ += size;
                                if (error || self->drained_ > most) return self->close();
                                self->drain();
                            });
}

void Session::become_viewer() {
    is_viewer_ = true;
    ++reception_->viewers;
    http::response<http::empty_body> head(http::status::ok, 11);
    head.set(http::field::content_type, "text/event-stream");
    add_protections(head);
    head.keep_alive(false);
    std::string text = "HTTP/1.1 200 OK\r\n";
    for (const auto& field : head) {
        text += std::string(view(field.name_string())) + ": " + std::string(view(field.value())) +
                "\r\n";
    }
    text += "\r\nretry: 2000\n\n";
    send_to_viewer(std::make_shared<const std::string>(std::move(text)));
    watch_viewer();
}

/// A viewer has nothing more to say: whatever comes, an end most likely, ends it.
void Session::watch_viewer() {
    socket_.async_read_some(asio::buffer(unread_),
                            [self = shared_from_this()](Error, std::size_t) { self->close(); });
}

void Session::send_event() {
    if (is_sending_ || !socket_.is_open() || told_revision_ == reception_->site->revision()) {
        return;
    }
    told_revision_ = reception_->site->revision();
    send_to_viewer(reception_->site->event());
}

void Session::send_to_viewer(Site::Text text) {
    text_ = std::move(text);
    is_sending_ = true;
    limit_time(reception_->options.send_time);
    asio::async_write(socket_, asio::buffer(*text_),
                      [self = shared_from_this()](Error error, std::size_t) {
                          if (error) return self->close();
                          self->on_event_sent();
                          self->send_event();
                      });
}

void Session::on_event_sent() {
    is_sending_ = false;
    text_.reset();
    timer_.cancel();
}

void Session::close() {
    Error ignored;
    timer_.cancel();
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
}

}  // namespace coordinatord
