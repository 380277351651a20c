// SPDX-License-Identifier: Apache-2.0
//
// What the venue says, in the words of the venue it plays.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "mock-venue/bans.hpp"
#include "mock-venue/limit_table.hpp"
#include "mock-venue/request.hpp"

namespace mock_venue {

enum class Dialect { binance, bybit };

// How a refusal names the wait: `Retry-After` in seconds, as an HTTP date, or not at all.
enum class RetryAfter { seconds, date, none };

struct Voice {
    Dialect dialect = Dialect::binance;
    RetryAfter retry_after = RetryAfter::seconds;
};

Reply json_reply(const nlohmann::ordered_json& body);
Reply error_reply(unsigned status, int code, std::string_view message);

// 429 for a request that did not fit.
Reply refused_reply(const Voice& voice, const LimitSpec& limit, Nanos wait, Instant now);

// For a request during a ban, and for the one that started it.
Reply banned_reply(const Voice& voice, const Ban& ban, Instant now);

// A status on its own, with the body that goes with it; names no wait.
Reply bare_reply(const Voice& voice, unsigned status);

// Answers everything that is not an order: /api/v3/time, /api/v3/ping, /api/v3/exchangeInfo, and
// an empty success for any other path.
Reply market_reply(const Voice& voice, const LimitTable& limits, const Request& request);

// The counts after this request. Those of limits with a key only where the request drew from them.
void add_usage_headers(const Voice& voice, const LimitTable& limits,
                       const std::vector<Charge>& charges, const std::vector<Usage>& usage,
                       Instant now, Reply& reply);

}  // namespace mock_venue
