// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/presets.hpp"

namespace mock_venue {

namespace {

// Binance Spot: limits as its exchangeInfo lists them, weights as its REST documentation has them.
// Rejected requests count there (its 429s show more than the quota as used).
VenueRules binance_spot() {
    VenueRules rules;
    rules.limits = {read_limit("weight=6000/1m,kind=fixed"), read_limit("raw=61000/5m,kind=fixed"),
                    read_limit("orders=100/10s,kind=fixed,per=X-Account")};
    rules.routes = {
        read_route("GET /api/v3/depth weight@limit=100:5,500:25,1000:50,5000:250"),
        read_route("POST /api/v3/order orders=1"),
        read_route("GET /api/v3/order weight=4"),
        read_route("GET /api/v3/openOrders weight=6"),
        read_route("GET /api/v3/exchangeInfo weight=20"),
    };
    rules.ladder.ban_after = 10;
    rules.count_rejected = true;
    return rules;
}

// Bybit: 600 requests in any 5 s per address; the first one over it is answered with 403, and the
// address has to stay away for ten minutes without a break.
VenueRules bybit() {
    VenueRules rules;
    rules.limits = {read_limit("ip=600/5s,kind=rolling")};
    rules.ladder.ban_after = 1;
    rules.ladder.base = rules.ladder.max = std::chrono::minutes{10};
    rules.ladder.grace = Nanos::zero();
    rules.ban_status = 403;
    rules.voice.dialect = Dialect::bybit;
    return rules;
}

}  // namespace

std::optional<VenueRules> preset(std::string_view name) {
    if (name == "binance-spot") return binance_spot();
    if (name == "bybit") return bybit();
    return std::nullopt;
}

std::string_view preset_names() {
    return "binance-spot, bybit";
}

}  // namespace mock_venue
