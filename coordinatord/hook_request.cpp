// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/hook_request.hpp"

#include <curl/curl.h>

#include <memory>

namespace coordinatord {
namespace {

std::size_t drop(char*, std::size_t size, std::size_t count, void*) {
    return size * count;
}

// libcurl calls it at least once a second.
int look_for_stop(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<const std::atomic<bool>*>(stop)->load() ? 1 : 0;
}

void allow_http_only(CURL* curl) {
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

}  // namespace

HookOutcome post_json(const std::string& url, const std::string& body,
                      std::chrono::nanoseconds timeout, const std::atomic<bool>& stop) {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(
        ready == CURLE_OK ? curl_easy_init() : nullptr, &curl_easy_cleanup);
    const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(
        curl_slist_append(nullptr, "Content-Type: application/json"), &curl_slist_free_all);
    if (!curl || !headers) return {HookEnd::not_started, "libcurl cannot be had", {}};
    const auto timeout_ms = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
    CURL* const handle = curl.get();
    allow_http_only(handle);
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "coordinatord");
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms));
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeout_ms));
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &drop);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &look_for_stop);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(&stop));
    switch (const CURLcode code = curl_easy_perform(handle)) {
        case CURLE_OK:
            break;
        case CURLE_OPERATION_TIMEDOUT:
            return {HookEnd::timed_out, "not done in time", {}};
        case CURLE_ABORTED_BY_CALLBACK:
            return {HookEnd::stopped, "the daemon ends", {}};
        default:
            return {HookEnd::failed, curl_easy_strerror(code), {}};
    }
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300) return {};
    return {HookEnd::failed, "answered with status " + std::to_string(status), {}};
}

}  // namespace coordinatord
