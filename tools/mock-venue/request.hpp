// SPDX-License-Identifier: Apache-2.0
//
// A request and a reply as plain values: the venue decides on these, the server moves the bytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mock-venue/venue_time.hpp"

namespace mock_venue {

struct HeaderView {
    std::string_view name;
    std::string_view value;
};

// The parameters of a query or of a form body, in order, percent-decoded.
using Parameters = std::vector<std::pair<std::string, std::string>>;

// The views belong to the server and hold for the length of one call.
struct Request {
    Instant now{};      // when the head was parsed, CLOCK_REALTIME
    Nanos boot_time{};  // the same moment on CLOCK_BOOTTIME
    std::string_view method;
    std::string_view path;  // without the query
    std::string_view address;
    std::span<const HeaderView> headers;
    Parameters parameters;  // of the query, then of a form body

    // The value of the first header of that name (case ignored).
    std::optional<std::string_view> header(std::string_view name) const;

    // The first parameter of that name, or nothing.
    const std::string* parameter(std::string_view name) const;
};

struct Reply {
    unsigned status = 200;  // 0: the connection is closed without an answer
    std::vector<std::pair<std::string, std::string>> headers;
    std::string content_type = "application/json;charset=UTF-8";
    std::string body;
    Nanos delay{};

    bool closes_unanswered() const { return status == 0; }
};

// Appends the parameters of `text` ("a=1&b=2") to `parameters`.
void read_parameters(std::string_view text, Parameters& parameters);

}  // namespace mock_venue
