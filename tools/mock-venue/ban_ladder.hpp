// SPDX-License-Identifier: Apache-2.0
//
// How patience ends: from refusals to a ban, and from a short ban to a long one.
//
// PROMISE  L1  The `ban_after`-th rejection within one penalty starts a ban; 0 never does. A
//              penalty runs from a rejection to the end of the wait it named; further rejections
//              within it can only make it longer.
//          L2  A ban lasts `base`; one that starts within `forget` of the end of the last lasts
//              twice as long as that one did; none is longer than `max`.
//          L3  If bans extend, a request during one doubles its length (at most to `max`) and
//              starts it over, unless it comes within `grace` of the ban's start or its last
//              extension: what was already on its way is not held against anyone.
//          L4  The end of a standing ban never moves back.
#pragma once

#include <cstdint>
#include <optional>

#include "mock-venue/venue_time.hpp"

namespace mock_venue {

struct LadderRule {
    std::uint64_t ban_after = 0;
    Nanos base = std::chrono::minutes{2};
    Nanos max = std::chrono::days{3};
    Nanos forget = std::chrono::days{1};
    Nanos grace = std::chrono::milliseconds{250};
    bool extends = true;
};

class BanLadder {
  public:
    explicit BanLadder(const LadderRule& rule) : rule_(rule) {}

    // The end of the ban that stands at `now`, if one does.
    std::optional<Instant> banned_until(Instant now) const;

    // A request during a ban: extends it by L3 and returns its end.
    Instant knock(Instant now);

    // A request that was refused and told to wait until `penalty_end`. Returns the end of the ban
    // if this was one too many.
    std::optional<Instant> reject(Instant now, Instant penalty_end);

    // A ban from outside the ladder, for [from, until).
    void impose(Instant from, Instant until);

  private:
    LadderRule rule_;
    std::uint64_t rejections_ = 0;
    Instant penalty_end_{};
    Nanos length_{};
    Instant until_{};
    Instant last_growth_{};
};

}  // namespace mock_venue
