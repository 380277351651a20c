// SPDX-License-Identifier: Apache-2.0
//
// One kept-alive connection to the venue; one request at a time.
//
// SHARING  One thread each. start_http() once per process, after any fork.
// ERRORS   A request that got no reply is a reply of status 0: the herd counts it and goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/reply.hpp>

#include "herd/mix.hpp"

namespace herd {

void start_http();

struct Reply {
    int status = 0;  // 0: none
    std::int64_t sent_ns = 0;
    std::int64_t replied_ns = 0;
    std::optional<std::int64_t> retry_after_ns;
    // Where the rule keeps them. Live until the next request of the same client.
    std::span<const ratecoord::Header> headers;
    std::string_view body;
};

struct ClientRule {
    std::string venue;         // http://host:port/path
    std::string label_header;  // empty: not sent; the same for the others
    std::string label;
    std::string cost_header;
    bool cost_in_query = false;
    std::string key_header;
    std::int64_t reply_timeout_ns = 10'000'000'000;
    bool keeps_replies = false;  // headers and body, for who reads them by a profile
};

class VenueClient {
  public:
    // `key_header` carries the key of the first keyed limit of each kind.
    VenueClient(const ClientRule& rule, const std::vector<RequestKind>& kinds,
                const std::vector<KeyRing>& rings, unsigned worker);
    ~VenueClient();
    VenueClient(const VenueClient&) = delete;
    VenueClient& operator=(const VenueClient&) = delete;

    Reply send(std::size_t kind);

  private:
    struct Easy;
    std::unique_ptr<Easy> easy_;
};

}  // namespace herd
