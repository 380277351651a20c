// SPDX-License-Identifier: Apache-2.0
//
// What a request costs.
//
// RULE     In this order, the later overrides the earlier, limit by limit:
//          1  1 unit of each limit that is counted per address, 0 of each that has a key;
//          2  the first route that matches method and path;
//          3  query or form parameters named like a limit (`?weight=25`);
//          4  the header `X-Cost: weight=25,raw=1`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mock-venue/limit_table.hpp"
#include "mock-venue/request.hpp"

namespace mock_venue {

// Units that grow with a parameter: the first step whose `up_to` is not below its value.
struct CostStep {
    std::uint64_t up_to = 0;
    std::uint64_t units = 0;
};

struct RouteCost {
    std::string limit;
    std::string parameter;        // empty: `steps` has one entry, whatever the request says
    std::vector<CostStep> steps;  // never empty; a value above the last step takes the last
};

struct Route {
    std::string method;  // "*" matches every method
    std::string path;    // a trailing '*' matches every path that starts with what is before it
    std::vector<RouteCost> costs;

    bool matches(std::string_view of_method, std::string_view of_path) const;
};

// 'METHOD PATH NAME=UNITS... NAME@PARAMETER=UPTO:UNITS,UPTO:UNITS...'. Throws InvalidText.
Route read_route(std::string_view text);

class CostBook {
  public:
    // Throws InvalidText where a route names a limit that `limits` does not have.
    CostBook(const std::vector<Route>& routes, const LimitTable& limits);

    // One charge per limit that the request draws from or that counts per address (then of 0
    // units, if need be, so that its usage is shown). Throws InvalidText where the request states
    // a cost that cannot be read.
    std::vector<Charge> charges(const Request& request, const LimitTable& limits) const;

  private:
    std::vector<Route> routes_;
};

}  // namespace mock_venue
