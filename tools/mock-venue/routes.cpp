// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/routes.hpp"

#include <algorithm>
#include <optional>

#include "mock-venue/option_text.hpp"

namespace mock_venue {

namespace {

constexpr std::string_view cost_header = "X-Cost";

RouteCost read_cost(std::string_view text) {
    const auto [target, value] = split_pair(text, '=');
    RouteCost cost;
    const auto at = target.find('@');
    cost.limit = target.substr(0, at);
    if (at == std::string_view::npos) {
        cost.steps.push_back({0, read_number(value)});
        return cost;
    }
    cost.parameter = target.substr(at + 1);
    for (const std::string_view step : split(value, ',')) {
        const auto [up_to, units] = split_pair(step, ':');
        cost.steps.push_back({read_number(up_to), read_number(units)});
        const auto count = cost.steps.size();
        if (count > 1 && cost.steps[count - 1].up_to <= cost.steps[count - 2].up_to) {
            throw InvalidText("the steps of '" + std::string(target) + "' must grow");
        }
    }
    return cost;
}

std::uint64_t units_of(const RouteCost& cost, const Request& request) {
    const std::string* const value =
        cost.parameter.empty() ? nullptr : request.parameter(cost.parameter);
    if (value == nullptr) return cost.steps.front().units;
    const std::uint64_t asked = read_number(*value);
    const auto step = std::find_if(cost.steps.begin(), cost.steps.end(),
                                   [&](const CostStep& each) { return asked <= each.up_to; });
    return step == cost.steps.end() ? cost.steps.back().units : step->units;
}

// Applies 'NAME=UNITS,NAME=UNITS' of the cost header.
void apply_header(std::string_view text, const LimitTable& limits,
                  std::vector<std::optional<std::uint64_t>>& units) {
    for (const std::string_view part : split(text, ',')) {
        const auto trimmed = words(part);
        if (trimmed.size() != 1) throw InvalidText("'" + std::string(part) + "' is not NAME=UNITS");
        const auto [name, value] = split_pair(trimmed.front(), '=');
        const auto limit = limits.find(name);
        if (!limit) throw InvalidText("there is no limit '" + std::string(name) + "'");
        units[*limit] = read_number(value);
    }
}

}  // namespace

bool Route::matches(std::string_view of_method, std::string_view of_path) const {
    if (method != "*" && method != of_method) return false;
    if (!path.empty() && path.back() == '*') {
        return of_path.starts_with(std::string_view(path).substr(0, path.size() - 1));
    }
    return path == of_path;
}

Route read_route(std::string_view text) {
    const auto parts = words(text);
    if (parts.size() < 3) throw InvalidText("it needs a method, a path and at least one cost");
    if (parts[1].front() != '/') {
        throw InvalidText("the path '" + std::string(parts[1]) + "' does not start with '/'");
    }
    Route route;
    route.method = parts[0];
    route.path = parts[1];
    for (std::size_t i = 2; i < parts.size(); ++i) route.costs.push_back(read_cost(parts[i]));
    return route;
}

CostBook::CostBook(const std::vector<Route>& routes, const LimitTable& limits) : routes_(routes) {
    for (const Route& route : routes_) {
        for (const RouteCost& cost : route.costs) {
            if (limits.find(cost.limit)) continue;
            throw InvalidText("route '" + route.method + " " + route.path + "' names the limit '" +
                              cost.limit + "', which does not exist");
        }
    }
}

std::vector<Charge> CostBook::charges(const Request& request, const LimitTable& limits) const {
    std::vector<std::optional<std::uint64_t>> units(limits.size());
    for (std::size_t i = 0; i < limits.size(); ++i) {
        if (!limits.spec(i).keyed()) units[i] = 1;
    }
    const auto route = std::find_if(routes_.begin(), routes_.end(), [&](const Route& each) {
        return each.matches(request.method, request.path);
    });
    if (route != routes_.end()) {
        for (const RouteCost& cost : route->costs) {
            units[*limits.find(cost.limit)] = units_of(cost, request);
        }
    }
    for (const auto& [name, value] : request.parameters) {
        if (const auto limit = limits.find(name)) units[*limit] = read_number(value);
    }
    if (const auto stated = request.header(cost_header)) apply_header(*stated, limits, units);
    std::vector<Charge> charges;
    for (std::size_t i = 0; i < limits.size(); ++i) {
        if (!units[i]) continue;
        const LimitSpec& spec = limits.spec(i);
        const std::string_view key =
            spec.keyed() ? request.header(spec.per).value_or("") : request.address;
        charges.push_back({i, std::string(key), *units[i]});
    }
    return charges;
}

}  // namespace mock_venue
