// SPDX-License-Identifier: Apache-2.0
//
// What changes under a running budget: its creation, its definitions, and what the venue counted
// that none of us drew.
//
// PROMISE  H1  A new state is cold: it grants nothing that could meet units drawn before it in one
//              window (G1), unless the operator says that nothing was sent lately.
//          H2  A stricter rule of the same kind and window takes over at once with the units
//              already drawn. Any other starts beside its predecessor until window+slack of both
//              has passed; both must fit. A second such change in that time is refused with the
//              instant.
//          H4  A venue's count never gives units back; only our own guess of outside use is taken
//              back when a reply says otherwise.
// SHARING  Pure functions of the state handed in.
#pragma once

#include "core/calendar.hpp"

namespace ratecoord::core {

inline constexpr std::int64_t cold_ns = 2 * second_ns;

struct Creation {
    Instant now = 0;
    std::int64_t utc_offset = 0;
    bool full = false;
    bool shadow = false;
    /// Bit i: the saved definition of limit i was the same, so its bucket was full at most.
    std::uint64_t same_rules = 0;
};
/// Fills a zeroed state for `limits` limits. Needs them within the capacity.
void create(State& state, const Rules& rules, std::uint16_t limits,
            const Creation& creation) noexcept;

/// When a limit grants its first unit after creation (for `ratectl create`).
Instant opens_at(const State& state, const Rules& rules, std::uint16_t cell) noexcept;

enum class Change { same, stricter, beside, refused };
/// What replacing the rule of `limit` would mean; `until` is when a refused one may be made.
Change classify(const State& state, const Rules& rules, std::uint16_t limit, const Rule& changed,
                Instant now, Instant& until) noexcept;

/// Makes room for `limit` under `changed`: `rules` are those before, whose copy stays in
/// Rules::previous where the change is `beside`. Needs classify() not to have refused. False if no
/// cell is free for a predecessor.
bool change_limit(State& state, const Rules& rules, std::uint16_t limit, const Rule& changed,
                  Instant now) noexcept;

/// A limit that is new in a running budget: empty now, like a cold one. False if no cell is free.
bool add_limit(State& state, const Rule& rule, Instant now) noexcept;

/// The venue says `used` units were drawn in the fixed window that holds `at`. True if it changed
/// anything.
bool observe_used(State& state, const Rules& rules, Workspace& workspace, std::uint16_t cell,
                  std::uint64_t used, Instant at, Instant now) noexcept;

/// The venue says `remaining` units are left now (bucket, rolling).
bool observe_remaining(State& state, const Rules& rules, Workspace& workspace, std::uint16_t cell,
                       std::uint64_t remaining, Instant now) noexcept;

}  // namespace ratecoord::core
