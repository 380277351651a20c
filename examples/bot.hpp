// SPDX-License-Identifier: Apache-2.0
//
// A bot that knows nothing of 429, 418 or Retry-After: it names a profile and asks for permits.
#pragma once

#include <string>
#include <string_view>

#include <ratecoord/reply.hpp>

#include "bot_options.hpp"

namespace bot {

/// One connection to the venue.
class Link {
  public:
    virtual ~Link() = default;
    /// One request, one reply; its views last until the next call.
    virtual ratecoord::Reply send(std::string_view method, const std::string& target) = 0;
};

/// The exit status: 0 done, 1 failed, 3 halted.
int run(const Options& options, Link& link);

}  // namespace bot
