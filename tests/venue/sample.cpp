// SPDX-License-Identifier: Apache-2.0
#include "venue/sample.hpp"

#include <string>

namespace ratecoord::testing {
namespace {

constexpr std::string_view binance_text = R"(
frame_status = "/status"
firewall_403 = true

[limits.weight]
kind = "fixed"
quota = 6000
window = "1m"
[limits.raw]
kind = "fixed"
quota = 61000
window = "5m"
[limits.orders-10s]
kind = "fixed"
quota = 100
window = "10s"
per = "account"
[limits.pace]
kind = "rolling"
quota = 20
window = "1s"

[operations.ping]
intent = "read"
cost = { weight = 1, raw = 1 }
[operations.order]
intent = "open"
cost = { weight = 1, raw = 1, orders-10s = 1 }
charge.ok = { weight = 0 }
charge.failed = { weight = 2 }
[operations.cancel]
intent = "close"
lane = "critical"
cost = { weight = 1, raw = 1 }

[[feedback]]
limit = "weight"
header = "X-MBX-USED-WEIGHT-1M"
means = "used"
[[feedback]]
limit = "orders-10s"
header = "X-MBX-ORDER-COUNT-10S"
means = "used"
operations = ["order"]
[[feedback]]
limit = "weight"
array = "/rateLimits"
where = { rateLimitType = "REQUEST_WEIGHT", interval = "MINUTE", intervalNum = 1 }
field = "count"
means = "used"
frame = true

[[signals]]
name = "ban"
status = 418
action = "ban"
longest = true
wait = [
  { from = "retry-after" },
  { from = "body", at = "/error/data/retryAfter", unit = "epoch-ms", now_at = "/error/data/serverTime" },
  { from = "text", in = "/msg", after = "banned until ", unit = "epoch-ms" },
]
[[signals]]
name = "cancel-replace"
status = [409, 429]
body = "/code"
equals = -2021
action = "pause"
scope = "key"
per = "account"
wait = [{ from = "retry-after" }, { from = "window", limit = "orders-10s" }]
partly_done = { at = "/data/cancelResult", equals = "SUCCESS" }
[[signals]]
name = "orders"
status = 429
body = "/code"
equals = -1015
action = "pause"
scope = "key"
per = "account"
wait = [{ from = "retry-after" }, { from = "window", limit = "orders-10s" }]
[[signals]]
name = "weight-frame"
status = 429
frame = true
action = "pause"
wait = [{ from = "body", at = "/error/data/retryAfter", unit = "epoch-ms", now_at = "/error/data/serverTime" }]
[[signals]]
name = "duplicate"
status = "4xx"
body = "/code"
equals = -2010
text = "duplicate order sent*"
text_in = "/msg"
action = "rejected"
duplicate = true
[[signals]]
name = "key"
status = [401, 403]
body = "/code"
equals = [-2014, -2015]
action = "auth"
[[signals]]
name = "not-counted"
status = 503
text = "*service unavailable*"
action = "retry-later"
charged = false
)";

constexpr std::string_view bybit_text = R"(
[limits.requests]
kind = "rolling"
quota = 600
window = "5s"
[limits.order-create]
kind = "rolling"
quota = 10
window = "1s"
per = "uid"

[operations.time]
intent = "read"
cost.requests = 1
[operations.create]
intent = "open"
cost = { requests = 1, order-create = 1 }

[[feedback]]
limit = "order-create"
header = "X-Bapi-Limit-Status"
means = "remaining"
reset = { header = "X-Bapi-Limit-Reset-Timestamp", unit = "epoch-ms" }
operations = ["create"]

[[signals]]
name = "ip"
status = 403
text = "*access too frequent*"
action = "ban"
wait = [{ from = "fixed", wait = "10m" }]
[[signals]]
name = "uid"
body = "/retCode"
equals = 10006
action = "pause"
scope = "key"
per = "uid"
wait = [{ from = "header", name = "X-Bapi-Limit-Reset-Timestamp", unit = "epoch-ms", now_at = "/time" }]
[[signals]]
name = "batch-item"
body = "/retExtInfo/list/*/code"
equals = 10006
action = "pause"
scope = "key"
per = "uid"
wait = [{ from = "window", limit = "order-create" }]
partly_done = { at = "/retExtInfo/list/*/code", equals = 0 }
[[signals]]
name = "busy"
body = "/retCode"
equals = [429, 10429]
action = "overload"
[[signals]]
name = "unknown"
body = "/retCode"
equals = 10000
action = "unknown-outcome"
)";

constexpr std::string_view plain_text = R"(
[limits.requests]
kind = "rolling"
quota = 10
window = "5s"
[operations.get]
intent = "read"
cost.requests = 1
[operations.post]
intent = "open"
cost.requests = 1
)";

venue::Profile sound_profile(std::string_view rest) {
    return profile_of(with_head(rest));
}

}  // namespace

std::vector<std::string> findings_of(std::string_view text) {
    venue::Findings findings;
    const auto profile = venue::read_profile({"sample.toml", std::string(text)}, nullptr, findings);
    CHECK(profile.has_value() == findings.empty());
    std::vector<std::string> lines;
    for (const auto& finding : findings.list()) lines.push_back(finding.text());
    return lines;
}

venue::Profile profile_of(std::string_view text) {
    venue::Findings findings;
    auto profile = venue::read_profile({"sample.toml", std::string(text)}, nullptr, findings);
    for (const auto& finding : findings.list()) UNSCOPED_INFO(finding.text());
    REQUIRE(profile);
    return std::move(*profile);
}

const venue::Profile& binance() {
    static const auto profile = sound_profile(binance_text);
    return profile;
}

const venue::Profile& bybit() {
    static const auto profile = sound_profile(bybit_text);
    return profile;
}

const venue::Profile& plain() {
    static const auto profile = sound_profile(plain_text);
    return profile;
}

venue::Reading read(const venue::Profile& profile, const Exchange& exchange) {
    Reply reply;
    reply.status = exchange.status;
    reply.headers = exchange.headers;
    reply.body = exchange.body;
    reply.transport = exchange.transport;
    reply.is_whole = exchange.is_whole;
    reply.received_at = boot_now;
    return venue::read(profile, reply, profile.find_operation(exchange.operation),
                       {boot_now, exchange.utc_ns, exchange.sent});
}

}  // namespace ratecoord::testing
