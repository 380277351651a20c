// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/routes.hpp"

#include <map>

#include "mock-venue/option_text.hpp"
#include "mock_venue/visitor.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

namespace {

using Units = std::map<std::string, std::uint64_t>;

// What a request costs at a venue with the limits weight and raw, and orders per account.
class Costs {
  public:
    explicit Costs(const std::vector<std::string>& routes)
        : limits_({read_limit("weight=6000/1m"), read_limit("raw=61000/5m"),
                   read_limit("orders=100/10s,per=X-Account")}),
          book_(read_all(routes), limits_) {}

    Units of(const std::string& method, const std::string& path, const std::string& query,
             const std::vector<HeaderView>& headers = {}) const {
        Request request;
        request.method = method;
        request.path = path;
        request.address = "127.0.0.1";
        request.headers = headers;
        read_parameters(query, request.parameters);
        Units units;
        for (const Charge& charge : book_.charges(request, limits_)) {
            units[limits_.spec(charge.limit).name] = charge.units;
        }
        return units;
    }

  private:
    static std::vector<Route> read_all(const std::vector<std::string>& texts) {
        std::vector<Route> routes;
        for (const std::string& text : texts) routes.push_back(read_route(text));
        return routes;
    }

    LimitTable limits_;
    CostBook book_;
};

}  // namespace

TEST_CASE("a request costs one of each limit counted per address and nothing of a keyed one") {
    const Costs costs({});
    CHECK(costs.of("GET", "/any", "") == Units{{"weight", 1}, {"raw", 1}});
}

TEST_CASE("routes, parameters and the cost header override each other in that order") {
    const Costs costs({"GET /depth weight=5", "GET /free weight=0 raw=0", "* /both/* raw=7"});
    CHECK(costs.of("GET", "/depth", "") == Units{{"weight", 5}, {"raw", 1}});
    CHECK(costs.of("POST", "/depth", "") == Units{{"weight", 1}, {"raw", 1}});
    CHECK(costs.of("GET", "/free", "") == Units{{"weight", 0}, {"raw", 0}});
    CHECK(costs.of("PUT", "/both/x", "") == Units{{"weight", 1}, {"raw", 7}});
    CHECK(costs.of("GET", "/depth", "weight=25&orders=2") ==
          Units{{"weight", 25}, {"raw", 1}, {"orders", 2}});
    CHECK(costs.of("GET", "/depth", "weight=25", {{"x-cost", "weight=30, raw=2"}}) ==
          Units{{"weight", 30}, {"raw", 2}});
}

TEST_CASE("A10: the weight of a depth request follows its limit parameter") {
    const Costs costs({"GET /depth weight@limit=100:5,500:25,1000:50,5000:250"});
    const std::vector<std::pair<std::string, std::uint64_t>> rows{
        {"", 5},
        {"limit=1", 5},
        {"limit=100", 5},
        {"limit=101", 25},
        {"limit=500", 25},
        {"limit=501", 50},
        {"limit=1000", 50},
        {"limit=1001", 250},
        {"limit=5000", 250},
        {"limit=9999", 250},
    };
    for (const auto& [query, weight] : rows) {
        CAPTURE(query);
        CHECK(costs.of("GET", "/depth", query)["weight"] == weight);
    }
}

TEST_CASE("a keyed limit is charged to the header's value, any other to the address") {
    const LimitTable limits({read_limit("weight=10/1m"), read_limit("orders=10/1m,per=X-Account")});
    const CostBook book({}, limits);
    Request request;
    request.address = "127.0.0.9";
    const std::vector<HeaderView> headers{{"x-account", "main"}};
    request.headers = headers;
    read_parameters("orders=1", request.parameters);
    const auto charges = book.charges(request, limits);
    REQUIRE(charges.size() == 2);
    CHECK(charges[0].key == "127.0.0.9");
    CHECK(charges[1].key == "main");
}

TEST_CASE("costs and routes that cannot be read are refused") {
    const Costs costs({"GET /depth weight@limit=100:5"});
    CHECK_THROWS_AS(costs.of("GET", "/x", "weight=-1"), InvalidText);
    CHECK_THROWS_AS(costs.of("GET", "/x", "weight="), InvalidText);
    CHECK_THROWS_AS(costs.of("GET", "/depth", "limit=many"), InvalidText);
    CHECK_THROWS_AS(costs.of("GET", "/x", "", {{"X-Cost", "wait=1"}}), InvalidText);
    CHECK_THROWS_AS(costs.of("GET", "/x", "", {{"X-Cost", ""}}), InvalidText);
    for (const char* const text : {"", "GET", "GET /x", "GET x weight=1", "GET /x weight",
                                   "GET /x weight@limit=5", "GET /x weight@limit=5:1,5:2"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read_route(text), InvalidText);
    }
    CHECK_THROWS_AS(Costs({"GET /x wait=1"}), InvalidText);
}

TEST_CASE("parameters are percent-decoded") {
    Parameters parameters;
    read_parameters("a=1%2C2&b&&c=x+y&d=%zz&e=%4", parameters);
    const Parameters expected{{"a", "1,2"}, {"b", ""}, {"c", "x y"}, {"d", "%zz"}, {"e", "%4"}};
    CHECK(parameters == expected);
}
