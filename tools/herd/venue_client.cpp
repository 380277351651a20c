// SPDX-License-Identifier: Apache-2.0
#include "herd/venue_client.hpp"

#include <curl/curl.h>
#include <strings.h>

#include <cstring>
#include <stdexcept>
#include <string_view>

#include "herd/instant.hpp"
#include "herd/reply.hpp"

namespace herd {

namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;

struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

void append(HeaderList& list, const std::string& name, const std::string& value) {
    if (name.empty() || value.empty()) return;
    curl_slist* const grown = curl_slist_append(list.get(), (name + ": " + value).c_str());
    if (grown == nullptr) throw std::bad_alloc();
    list.release();
    list.reset(grown);
}

// What is sent for one kind of request, put together once.
struct Prepared {
    std::string url;
    HeaderList headers;
};

std::string url_of(const ClientRule& rule, const RequestKind& kind) {
    if (!rule.cost_in_query) return rule.venue;
    const char separator = rule.venue.find('?') == std::string::npos ? '?' : '&';
    return rule.venue + separator + as_query(kind.cost);
}

std::string key_of(const RequestKind& kind, const std::vector<KeyRing>& rings, unsigned worker) {
    for (const CostPart& part : kind.cost) {
        if (const KeyRing* const ring = ring_of(rings, part.limit)) return ring->of_worker(worker);
    }
    return {};
}

std::size_t discard(char*, std::size_t size, std::size_t count, void*) {
    return size * count;
}

// Of a longer body the rest is read and let go.
std::size_t keep_body(char* data, std::size_t size, std::size_t count, void* into) {
    constexpr std::size_t most = 65'536;
    auto& body = *static_cast<std::string*>(into);
    body.append(data, std::min(size * count, most - std::min(most, body.size())));
    return size * count;
}

std::size_t keep_retry_after(char* data, std::size_t size, std::size_t count, void* into) {
    constexpr std::string_view name = "retry-after:";
    const std::string_view line(data, size * count);
    if (line.size() > name.size() && ::strncasecmp(data, name.data(), name.size()) == 0) {
        *static_cast<std::string*>(into) = line.substr(name.size());
    }
    return line.size();
}

}  // namespace

void start_http() {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        throw std::runtime_error("libcurl does not start");
    }
}

struct VenueClient::Easy {
    CURL* handle = curl_easy_init();
    std::vector<Prepared> kinds;
    std::size_t current = static_cast<std::size_t>(-1);
    std::string retry_after;
    bool keeps_replies = false;
    std::string body;
    std::vector<ratecoord::Header> headers;

    void read_headers() {
        headers.clear();
        curl_header* header = nullptr;
        while ((header = curl_easy_nextheader(handle, CURLH_HEADER, -1, header)) != nullptr) {
            headers.push_back({header->name, header->value});
        }
    }

    Easy() {
        if (handle == nullptr) throw std::bad_alloc();
    }
    ~Easy() { curl_easy_cleanup(handle); }
    Easy(const Easy&) = delete;
    Easy& operator=(const Easy&) = delete;

    void choose(std::size_t kind) {
        if (kind == current) return;
        curl_easy_setopt(handle, CURLOPT_URL, kinds[kind].url.c_str());
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, kinds[kind].headers.get());
        current = kind;
    }
};

VenueClient::VenueClient(const ClientRule& rule, const std::vector<RequestKind>& kinds,
                         const std::vector<KeyRing>& rings, unsigned worker)
    : easy_(std::make_unique<Easy>()) {
    easy_->keeps_replies = rule.keeps_replies;
    CURL* const handle = easy_->handle;
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "herd");
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS,
                     static_cast<long>(rule.reply_timeout_ns / ns_per_ms));
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, rule.keeps_replies ? keep_body : discard);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &easy_->body);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, keep_retry_after);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &easy_->retry_after);
    for (const RequestKind& kind : kinds) {
        HeaderList headers;
        append(headers, rule.label_header, rule.label);
        append(headers, rule.cost_header, as_header(kind.cost));
        append(headers, rule.key_header, key_of(kind, rings, worker));
        easy_->kinds.push_back({url_of(rule, kind), std::move(headers)});
    }
}

VenueClient::~VenueClient() = default;

Reply VenueClient::send(std::size_t kind) {
    easy_->choose(kind);
    easy_->retry_after.clear();
    easy_->body.clear();
    Reply reply;
    reply.sent_ns = boot_now_ns();
    const CURLcode outcome = curl_easy_perform(easy_->handle);
    reply.replied_ns = boot_now_ns();
    if (outcome != CURLE_OK) return reply;
    long status = 0;
    curl_easy_getinfo(easy_->handle, CURLINFO_RESPONSE_CODE, &status);
    reply.status = static_cast<int>(status);
    if (easy_->keeps_replies) easy_->read_headers();
    reply.headers = easy_->headers;
    reply.body = easy_->body;
    if (!easy_->retry_after.empty()) {
        reply.retry_after_ns = read_retry_after(easy_->retry_after, utc_now_ns());
    }
    return reply;
}

}  // namespace herd
