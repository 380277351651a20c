// SPDX-License-Identifier: Apache-2.0
//
// Replies of libcurl, easy or multi, for Budget::observe, call and place_order.
//
//     ratecoord::CurlExchange exchange(easy);     // URL, headers, timeouts stay yours
//     std::string body;
//     auto result = ratecoord::call(budget, depth, {}, [&](const Permit&) {
//         return exchange.perform(body);
//     });
//
// Multi: begin(body) before curl_multi_add_handle; finish(outcome) for each handle that
// for_each_done() names.
//
// PROMISE  X1  One permit, one request. libcurl by itself sends a request again, a POST too, when a
//              connection that it reused turns out to be dead; follows redirects; answers
//              challenges. Each second request of a transfer is stopped before its first byte, and
//              counted.
//          X2  not_sent is said only of a transfer whose request never began: not resolved, not
//              connected, no TLS, no tunnel through the proxy.
//          X3  Nothing is allocated but in `body`. Header lines stand once, in 8 KiB of this
//              object; of more than fit the first are kept, and Retry-After.
// NEEDS    `easy` outlives this, `body` the transfer. It takes the handle's options PREREQFUNCTION,
//          HEADERFUNCTION and WRITEFUNCTION (with their DATA). Link ratecoord::curl.
// SHARING  As the easy handle: one thread at a time.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <ratecoord/headers.hpp>

namespace ratecoord {

class CurlExchange {
  public:
    explicit CurlExchange(CURL* easy) noexcept : easy_(easy) {}
    ~CurlExchange();
    CurlExchange(const CurlExchange&) = delete;
    CurlExchange& operator=(const CurlExchange&) = delete;

    /// Sends the request and waits for its reply, whose views last until the next transfer.
    Reply perform(std::string& body) noexcept;

    void begin(std::string& body) noexcept;
    Reply finish(CURLcode outcome) noexcept;

    /// Second requests of one transfer that were stopped (X1), in all.
    std::size_t resends_stopped() const noexcept { return resends_stopped_; }

    /// Longest body that is kept; what is longer is not whole.
    static constexpr std::size_t body_most = std::size_t{16} << 20;

  private:
    static int on_request(void* self, char*, char*, int, int) noexcept;
    static std::size_t on_header(char* data, std::size_t size, std::size_t count,
                                 void* self) noexcept;
    static std::size_t on_body(char* data, std::size_t size, std::size_t count,
                               void* self) noexcept;
    void keep_line(std::string_view line) noexcept;

    CURL* easy_;
    std::string* body_ = nullptr;
    HeaderViews views_;
    std::array<char, 8192> lines_;
    std::size_t lines_used_ = 0;
    std::size_t resends_stopped_ = 0;
    int requests_ = 0;          // begun in this transfer
    bool is_watching_ = false;  // libcurl tells us of each
    bool is_cut_ = false;
};

/// Calls `done(CURL*, CURLcode)` for each transfer of `multi` that has ended since the last call.
template <class Done>
void for_each_done(CURLM* multi, Done&& done) {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL* const easy = message->easy_handle;  // `message` does not outlive the handle's removal
        const CURLcode outcome = message->data.result;
        done(easy, outcome);
    }
}

}  // namespace ratecoord
