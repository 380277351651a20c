// SPDX-License-Identifier: Apache-2.0
//
// What a venue publishes about its own limits, read as limits of a profile.
//
// PROMISE  An entry that is no limit here (an unknown type or interval, a second one of the same
//          kind, a number no limit can have) becomes a note, never a failure. Members of an entry
//          that are not known are passed over.
// ERRORS   One sentence where the text has no rateLimits at all.
#pragma once

#include <string>
#include <vector>

#include <ratecoord/limit.hpp>

#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

struct PublishedLimit {
    ratecoord::LimitDefinition definition;
    std::string type;  ///< as the venue names it: REQUEST_WEIGHT
};

struct PublishedLimits {
    std::vector<PublishedLimit> limits;
    std::vector<std::string> notes;  ///< what an entry says and why it is no limit; one screen
    std::size_t note_count = 0;      ///< with those that were not kept
};

/// The rateLimits of a reply to exchangeInfo: of REST, of the WebSocket API (below result), or the
/// array alone.
tl::expected<PublishedLimits, std::string> read_exchange_info(const std::string& text);

/// TOML to stand in a profile.
std::string render_text(const PublishedLimits& published);
Json render_json(const PublishedLimits& published);

}  // namespace ratectl
