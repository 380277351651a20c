// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/curl.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace ratecoord {
namespace {

// What is kept free of header lines, so that Retry-After finds room behind a megabyte of others.
constexpr std::size_t kept_free = 256;

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

CurlExchange::~CurlExchange() {
    curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, nullptr);
    curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, nullptr);
    curl_easy_setopt(easy_, CURLOPT_HEADERDATA, nullptr);
    curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, nullptr);
    curl_easy_setopt(easy_, CURLOPT_WRITEDATA, stdout);  // libcurl's own default
}

void CurlExchange::begin(std::string& body) noexcept {
    body_ = &body;
    body.clear();
    views_.clear();
    lines_used_ = 0;
    requests_ = 0;
    is_cut_ = false;
    is_watching_ =
        curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, &CurlExchange::on_request) == CURLE_OK;
    curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
    // Run with a libcurl that is older than its headers, which resends only on reused connections.
    if (!is_watching_) curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &CurlExchange::on_header);
    curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &CurlExchange::on_body);
    curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
}

Reply CurlExchange::perform(std::string& body) noexcept {
    begin(body);
    return finish(curl_easy_perform(easy_));
}

Reply CurlExchange::finish(CURLcode outcome) noexcept {
    Reply reply;
    reply.received_at = BootClock::now();
    long status = 0;
    const bool is_begun = requests_ > 0 || !is_watching_;
    if (is_begun) curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) {  // none, or an interim one
        reply.transport = is_begun ? Transport::maybe_sent : Transport::not_sent;
        reply.is_whole = false;
        return reply;
    }
    reply.status = static_cast<int>(status);
    reply.headers = views_.span();
    reply.body = *body_;
    // A redirect that was stopped is a whole reply to the one request that was made.
    const bool is_stopped = requests_ > 1 && outcome == CURLE_ABORTED_BY_CALLBACK;
    reply.is_whole = (outcome == CURLE_OK || is_stopped) && !is_cut_;
    return reply;
}

int CurlExchange::on_request(void* self, char*, char*, int, int) noexcept {
    auto& exchange = *static_cast<CurlExchange*>(self);
    if (++exchange.requests_ == 1) return CURL_PREREQFUNC_OK;
    ++exchange.resends_stopped_;
    return CURL_PREREQFUNC_ABORT;
}

std::size_t CurlExchange::on_header(char* data, std::size_t size, std::size_t count,
                                    void* self) noexcept {
    static_cast<CurlExchange*>(self)->keep_line({data, size * count});
    return size * count;
}

void CurlExchange::keep_line(std::string_view line) noexcept {
    if (line.starts_with("HTTP/")) {  // of a proxy, an interim or the last reply: it starts anew
        views_.clear();
        lines_used_ = 0;
        return;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line[0] == ' ' || line[0] == '\t') return;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    const bool is_wait = name.size() == 11 && curl_strnequal(name.data(), "Retry-After", 11) != 0;
    const std::size_t room = lines_.size() - (is_wait ? 0 : kept_free);
    if (lines_used_ + name.size() + value.size() > room) return;
    char* const at = lines_.data() + lines_used_;
    std::memcpy(at, name.data(), name.size());
    if (!value.empty()) std::memcpy(at + name.size(), value.data(), value.size());
    lines_used_ += name.size() + value.size();
    views_.add({at, name.size()}, {at + name.size(), value.size()});
}

std::size_t CurlExchange::on_body(char* data, std::size_t size, std::size_t count,
                                  void* self) noexcept {
    auto& exchange = *static_cast<CurlExchange*>(self);
    const std::size_t length = size * count;
    const std::size_t room = body_most - std::min(body_most, exchange.body_->size());
    exchange.is_cut_ = exchange.is_cut_ || length > room;
    try {
        exchange.body_->append(data, std::min(length, room));
    } catch (const std::bad_alloc&) {
        exchange.is_cut_ = true;
    }
    return length;
}

}  // namespace ratecoord
