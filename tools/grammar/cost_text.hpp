// SPDX-License-Identifier: Apache-2.0
//
// What a request costs, on a command line: NAME=UNITS for each limit, and the key where a limit has
// one.
//
//     weight=25 raw=1 orders=1 --key orders=acct:main
//
// PROMISE  Every item is complete, every key belongs to an item, nothing is named twice.
// ERRORS   invalid_argument, one sentence that quotes the text and says why. Whether the limits
//          exist is the library's to say.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/result.hpp>

namespace ratecoord::grammar {

struct CostText {
    std::string limit;
    std::uint64_t units = 1;
    std::string key;  ///< empty: none given

    bool operator==(const CostText&) const = default;
};

/// NAME=VALUE, neither of them empty; the value may hold further '='. `what` names it in the
/// message.
struct Assignment {
    std::string name;
    std::string value;
};
Result<Assignment> parse_assignment(std::string_view what, std::string_view text);

Result<CostText> parse_cost_item(std::string_view text);

/// All items of one request. `keys` are texts LIMIT=KEY.
Result<std::vector<CostText>> parse_cost(std::span<const std::string> items,
                                         std::span<const std::string> keys);

}  // namespace ratecoord::grammar
