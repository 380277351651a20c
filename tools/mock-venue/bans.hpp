// SPDX-License-Identifier: Apache-2.0
//
// Who is banned right now: one ladder per address, one stop for the whole venue, and the record of
// every ban for the judge.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mock-venue/ban_ladder.hpp"

namespace mock_venue {

struct Ban {
    unsigned status = 418;
    Instant until{};
};

struct BanRecord {
    std::string cause;    // "ladder", "inject" or "admin"
    std::string address;  // empty: the whole venue
    unsigned status = 418;
    Instant started{};
    Instant until{};
    std::uint64_t arrivals = 0;  // requests that came while it stood, the first one not included
    std::optional<Instant> last_arrival;
};

class Bans {
  public:
    Bans(const LadderRule& rule, unsigned ladder_status)
        : rule_(rule), ladder_status_(ladder_status) {}

    // The ban that holds for a request that arrives at `now`; counts the request against it.
    std::optional<Ban> arrive(std::string_view address, Instant now);

    // A refused request of `address`; the ban, if it was one too many.
    std::optional<Ban> reject(std::string_view address, Instant now, Instant penalty_end);

    // Stops the whole venue for [from, until). Whether requests extend it is the caller's word:
    // the ladder's rule says nothing about stops that no client has earned.
    Ban stop_venue(std::string cause, unsigned status, Instant from, Instant until, bool extends);

    const std::vector<BanRecord>& records() const { return records_; }

  private:
    struct Holder {
        BanLadder ladder;
        unsigned status = 418;
        std::size_t record = 0;  // place in records_ of the ban that stands
    };

    std::optional<Ban> arrive_at(Holder& holder, Instant now);

    LadderRule rule_;
    unsigned ladder_status_;
    std::map<std::string, Holder, std::less<>> addresses_;
    std::optional<Holder> venue_;
    std::vector<BanRecord> records_;
};

}  // namespace mock_venue
