// SPDX-License-Identifier: Apache-2.0
//
// What one reply would do under a profile, and which line of it says so.
//
// PROMISE  A plain struct, made once by the same call that observe uses; nothing is sent or
//          changed.
// UNITS    Durations in nanoseconds, instants UTC.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ratecoord/profile.hpp>

#include "grammar/instant.hpp"
#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"
#include "venue/reading.hpp"

namespace ratectl {

/// What is to be explained.
struct ExplainedReply {
    ratecoord::Reply reply;
    std::string status_text;  ///< as it was asked for: "429", "frame"
    std::string operation;    ///< empty: not known
    ratecoord::grammar::UtcTime at;
};

struct ExplainedCount {
    std::string limit;
    std::uint64_t units = 0;
    bool is_remaining = false;
    std::string stands_in;
    std::string place;
};

struct ExplainedCharge {
    std::string limit;
    std::optional<std::uint64_t> booked;  ///< unknown: it depends on arguments of the call
    std::uint64_t charged = 0;
};

struct Explanation {
    std::string profile;
    std::string operation;  ///< empty: not known
    std::string status;
    ratecoord::venue::Reading reading;
    std::string wait_rule;   ///< in words; empty: none
    std::string wait_place;  ///< empty: not a rule of the profile
    ratecoord::grammar::UtcTime until;
    std::vector<ExplainedCount> counts;
    std::vector<ExplainedCharge> charges;  ///< that differ from what was booked
    std::string decided_by;                ///< "signal 'ip-ban'", "status 429"
    std::string signal;                    ///< empty: the status or the transport
    std::string when;                      ///< the signal's conditions
    std::string place;                     ///< of the signal
    std::string note;                      ///< the signal's own
};

Explanation explain(const ratecoord::Profile& profile, const ExplainedReply& asked);

std::string render_text(const Explanation& explanation, const Console& console);
Json render_json(const Explanation& explanation);

}  // namespace ratectl
