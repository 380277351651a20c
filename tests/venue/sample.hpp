// SPDX-License-Identifier: Apache-2.0
//
// Profiles as small as a test needs them, and replies read by them at a fixed instant.
//
// TIME  The host's clock stands at 2030-01-01T00:00:00Z, boot time at 1000 s.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/profile_text.hpp"
#include "venue/profile_reader.hpp"
#include "venue/reading.hpp"

namespace ratecoord::testing {

using namespace std::chrono_literals;

inline constexpr std::int64_t t0_s = 1'893'456'000;  // 2030-01-01T00:00:00Z
inline constexpr std::string_view t0_date = "Tue, 01 Jan 2030 00:00:00 GMT";
inline constexpr std::int64_t second = 1'000'000'000;
inline constexpr BootTime boot_now{1000s};

/// The profile of a text that must be sound.
venue::Profile profile_of(std::string_view text);
/// Findings of a text, one line each.
std::vector<std::string> findings_of(std::string_view text);

// Shapes of the venues whose payloads the tests replay.
const venue::Profile& binance();  ///< weight 1m, raw 5m, orders per account; frames; firewall
const venue::Profile& bybit();    ///< 200 with an error inside, 403 for ten minutes
const venue::Profile& plain();    ///< one limit, nothing else: the status decides

struct Exchange {
    int status = 200;
    std::vector<Header> headers = {};
    std::string_view body = {};
    std::string_view operation = {};
    std::int64_t utc_ns = t0_s * second;
    bool is_whole = true;
    Transport transport = Transport::replied;
    BootTime sent = {};
};
venue::Reading read(const venue::Profile& profile, const Exchange& exchange);

inline std::chrono::nanoseconds wait_of(const venue::Reading& reading) {
    return std::chrono::nanoseconds(reading.wait_ns);
}

}  // namespace ratecoord::testing
