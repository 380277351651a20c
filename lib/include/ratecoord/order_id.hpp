// SPDX-License-Identifier: Apache-2.0
//
// Client order ids that no other order of any process, host or life bears.
//
//     auto ids = ratecoord::OrderIdMaker::make({.most = 36, .prefix = "x-ABC"});
//     auto id = ids->next();
//
// PROMISE  D1  Each id holds as many random bits from the kernel as fit, 64 at least and 128 at
//              most; rules that leave room for fewer are refused.
//          D2  Nothing is remembered between two ids: a restart, a fork, a clock set back or an
//              equal start in the same second repeats none.
//          D3  Length and characters are those the venue takes.
// SHARING  Any thread.
// ERRORS   system: the kernel gave no random bytes.
#pragma once

#include <string>
#include <string_view>

#include <ratecoord/result.hpp>

namespace ratecoord {

struct OrderIdRules {
    std::string charset = "A-Za-z0-9._:/-";  ///< characters and ranges; '-' itself stands at an end
    std::uint32_t most = 36;                 ///< characters, the prefix included
    std::string prefix = {};                 ///< a broker's, or "0x"
    bool is_uuid = false;                    ///< 8-4-4-4-12 hexadecimal digits (version 4)
};

class OrderIdMaker {
  public:
    static Result<OrderIdMaker> make(const OrderIdRules& rules = {});

    Result<std::string> next() const;

    /// What is wrong with an id that somebody else made; empty: nothing.
    std::string objection(std::string_view id) const;

  private:
    std::string characters_;  // what ids may hold
    std::string drawn_;       // what is drawn from
    std::string prefix_;
    std::uint32_t most_ = 0;
    std::uint32_t random_characters_ = 0;
    bool is_uuid_ = false;
};

}  // namespace ratecoord
