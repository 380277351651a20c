// SPDX-License-Identifier: Apache-2.0
#include "grammar/cost_text.hpp"

#include <algorithm>

#include "grammar/number.hpp"

namespace ratecoord::grammar {

namespace {

tl::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_argument, std::move(why));
}

}  // namespace

Result<Assignment> parse_assignment(std::string_view what, std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
        return refused(std::string(what) + " " + in_quotes(text) + " is not written NAME=VALUE");
    }
    return Assignment{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<CostText> parse_cost_item(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return refused("cost " + in_quotes(text) + " is not written NAME=UNITS, such as weight=25");
    }
    const auto units = parse_number("cost " + in_quotes(text) + ": units", text.substr(equals + 1));
    if (!units) return tl::unexpected(units.error());
    if (*units == 0) return refused("cost " + in_quotes(text) + ": units '0' must be at least 1");
    return CostText{std::string(text.substr(0, equals)), *units, {}};
}

Result<std::vector<CostText>> parse_cost(std::span<const std::string> items,
                                         std::span<const std::string> keys) {
    std::vector<CostText> cost;
    const auto find = [&](std::string_view limit) {
        return std::find_if(cost.begin(), cost.end(),
                            [&](const CostText& item) { return item.limit == limit; });
    };
    if (items.empty()) return refused("no cost is given; write NAME=UNITS, such as weight=25");
    for (const auto& text : items) {
        auto item = parse_cost_item(text);
        if (!item) return tl::unexpected(item.error());
        if (find(item->limit) != cost.end()) {
            return refused("cost " + in_quotes(text) + ": the limit is named twice");
        }
        cost.push_back(*std::move(item));
    }
    for (const auto& text : keys) {
        const auto key = parse_assignment("--key", text);
        if (!key) return tl::unexpected(key.error());
        const auto item = find(key->name);
        if (item == cost.end()) {
            return refused("--key " + in_quotes(text) +
                           " is for a limit that the cost does not name");
        }
        if (!item->key.empty()) {
            return refused("--key " + in_quotes(text) + ": the limit has a key already");
        }
        item->key = key->value;
    }
    return cost;
}

}  // namespace ratecoord::grammar
