// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/options.hpp"

#include "mock-venue/limit_spec.hpp"
#include "mock_venue/visitor.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

namespace {

std::string complaint(const std::vector<std::string>& arguments) {
    try {
        rules_of(arguments);
    } catch (const UsageError& error) {
        CHECK_FALSE(error.hint().empty());
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a limit is read as it is written") {
    const LimitSpec plain = read_limit("weight=6000/1m");
    CHECK(plain.name == "weight");
    CHECK(plain.quota == 6000);
    CHECK(plain.window == 1min);
    CHECK(plain.kind == LimitKind::fixed);
    CHECK_FALSE(plain.keyed());
    const LimitSpec full = read_limit("orders=8/1s,kind=bucket,burst=40,per=X-Account");
    CHECK(full.kind == LimitKind::bucket);
    CHECK(full.burst == 40);
    CHECK(full.per == "X-Account");
    CHECK(read_limit("b=8/s,kind=bucket").burst == 8);
    CHECK(read_limit("a=1/250ms,kind=rolling,per=ip").window == 250ms);
}

TEST_CASE("what cannot be used is refused with the value and the reason") {
    const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
        {{"--limit", "weight=0/1m"},
         "cannot use --limit 'weight=0/1m': the quota must be at least 1"},
        {{"--limit", "weight=5/0s"}, "the window must be longer than 0"},
        {{"--limit", "weight=5/400d"}, "at most 366d"},
        {{"--limit", "weight=5"}, "'5' has no '/'"},
        {{"--limit", "weight=x/1m"}, "'x' is not a whole number"},
        {{"--limit", "weight=99999999999999999999/1m"}, "is too large"},
        {{"--limit", "weight=5/10"}, "'10' is not a duration"},
        {{"--limit", "Weight=5/1m"}, "the name 'Weight'"},
        {{"--limit", "weight=5/1m,kind=spacing"}, "'spacing' is not fixed, rolling or bucket"},
        {{"--limit", "weight=5/1m,burst=2"}, "burst belongs to kind=bucket only"},
        {{"--limit", "weight=5/1m,slack=2"}, "'slack' is not kind, burst or per"},
        {{"--limit", "a=5/1m", "--limit", "a=6/1m"}, "'a' is given twice"},
        {{"--route", "GET /x weight=1"}, "names the limit 'weight', which does not exist"},
        {{"--limit", "a=5/7s", "--time-scale", "2000000007"}, "must be between 1 and 1000000"},
        {{"--limit", "a=5/7ns", "--time-scale", "2"}, "the window of 'a' does not divide by 2"},
        {{"--ban-base", "0s"}, "cannot use --ban-base '0s': it must be longer than 0"},
        {{"--ban-extends", "yes"}, "'yes' is not a whole number"},
        {{"--ban-status", "200"}, "must be between 400 and 499"},
        {{"--retry-after", "maybe"}, "it must be header, date or none"},
        {{"--slow-order", "0.5"}, "'0.5' has no ':'"},
        {{"--lose-answer", "1.1"}, "is more than 1"},
        {{"--inject", "status=418"}, "it needs either at=REQUEST_NUMBER or at_time=DURATION"},
        {{"--preset", "kraken"}, "there is no such preset"},
        {{"--port", "70000"}, "must be between 0 and 65535"},
        {{"--run-for", "0"}, "must be between 1"},
        {{"--speed", "9"}, "cannot read the command line"},
    };
    for (const auto& [arguments, expected] : rows) {
        CAPTURE(arguments);
        const std::string message = complaint(arguments);
        CAPTURE(message);
        CHECK(contains(message, expected));
    }
}

TEST_CASE("the time scale shortens windows and bans, not what replies call them") {
    const VenueRules rules =
        rules_of({"--limit", "weight=6000/1m", "--time-scale", "10", "--ban-base", "2m", "--inject",
                  "at=1 retry_after=5s", "--latency", "2ms"});
    CHECK(rules.limits[0].window == 6s);
    CHECK(rules.limits[0].published == 1min);
    CHECK(rules.ladder.base == 12s);
    CHECK(rules.injections[0].retry_after == 500ms);
    CHECK(rules.latency == 2ms);
    CHECK(header_window(rules.limits[0].published) == "1M");
}

TEST_CASE("a preset's limits can be replaced by name and its routes overruled") {
    const VenueRules rules = rules_of({"--preset", "binance-spot", "--limit", "weight=50/1m",
                                       "--route", "GET /api/v3/depth weight=3"});
    REQUIRE(rules.limits.size() == 3);
    CHECK(rules.limits[0].quota == 50);
    CHECK(rules.limits[1].quota == 61'000);
    CHECK(rules.routes.front().costs.front().steps.front().units == 3);
    CHECK(rules.count_rejected);
    CHECK_FALSE(rules_of({"--preset", "binance-spot", "--count-rejected", "0"}).count_rejected);
}

TEST_CASE("windows are spelled in their largest whole unit") {
    CHECK(header_window(1min) == "1M");
    CHECK(header_window(10s) == "10S");
    CHECK(header_window(90s) == "90S");
    CHECK(header_window(24h) == "1D");
    CHECK(header_window(1500ms) == "1500MS");
    CHECK(message_window(1min) == "1 MINUTE");
    CHECK(message_window(10s) == "10 SECOND");
}
