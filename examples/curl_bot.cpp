// SPDX-License-Identifier: Apache-2.0
//
// The bot over libcurl.
#include <cstdio>
#include <exception>
#include <new>

#include <ratecoord/curl.hpp>

#include "bot.hpp"

namespace {

class CurlLink final : public bot::Link {
  public:
    explicit CurlLink(const bot::Options& options) : venue_(options.venue) {
        if (easy_ == nullptr) throw std::bad_alloc();
        curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
        headers_ = curl_slist_append(headers_, ("X-Account: " + options.account).c_str());
        curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
    }
    ~CurlLink() override { curl_slist_free_all(headers_); }
    CurlLink(const CurlLink&) = delete;
    CurlLink& operator=(const CurlLink&) = delete;

    ratecoord::Reply send(std::string_view method, const std::string& target) override {
        const std::string url = venue_ + target;
        curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
        curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, std::string(method).c_str());
        return exchange_.perform(body_);
    }

  private:
    struct Cleanup {
        CURL* easy;
        ~Cleanup() { curl_easy_cleanup(easy); }
    };

    std::string venue_;
    CURL* easy_ = curl_easy_init();
    Cleanup cleanup_{easy_};  // after the exchange, which must not outlive the handle
    curl_slist* headers_ = nullptr;
    std::string body_;
    ratecoord::CurlExchange exchange_{easy_};
};

}  // namespace

int main(int argc, char** argv) {
    int status = 0;
    const auto options = bot::read_options(argc, argv, "curl-bot", status);
    if (!options) return status;
    try {
        curl_global_init(CURL_GLOBAL_DEFAULT);
        CurlLink link(*options);
        return bot::run(*options, link);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "curl-bot: %s\n", error.what());
        return 1;
    }
}
