// SPDX-License-Identifier: Apache-2.0
//
// A reply, read by a profile: what it means, how long to wait, what it counted, what it cost.
//
//     const auto reading = read(profile, reply, profile.find_operation("depth"), times);
//     if (reading.action == Action::pause) pause until resume_at(reading);
//
// PROMISE  E1  The first matching signal decides, else the transport and the status (the table in
//              reading.cpp). A body that cannot be read is never "retry now".
//          E2  pause and ban always have a wait of at least `wait_floor_ns`; where nothing usable
//              is named, that of policy F. Such a wait is a base: whoever keeps the strikes lets it
//              grow.
//          E3  A wait above the profile's longest_wait is cut to it and flagged; nothing wraps.
//          E4  An order whose reply is cut off or broken is unknown_outcome, whatever its status
//              said of success.
//          E5  Nothing is allocated. Time is linear in the reply, of which at most 1 MiB is read.
// UNITS    Nanoseconds, units of the limits.
// TIME     Reads no clock: Times holds the instants.
// SHARING  A pure function; the views in a Reading live as long as the profile.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <ratecoord/reply.hpp>

#include "venue/counts.hpp"
#include "venue/profile.hpp"
#include "venue/reply_view.hpp"

namespace ratecoord::venue {

inline constexpr std::int64_t wait_floor_ns = second_ns;          // policy F: at least 1 s
inline constexpr std::int64_t ban_fallback_ns = 120 * second_ns;  // the shortest published ban
inline constexpr std::int64_t firewall_fallback_ns = 60 * second_ns;
inline constexpr std::size_t charges_max = 8;

struct Reading {
    Action action = Action::ok;
    Scope scope = Scope::request;
    WaitSource source = WaitSource::none;
    bool partly_done = false;
    bool is_duplicate = false;
    bool is_charged = true;    ///< false: the venue did not count the request
    bool was_clamped = false;  ///< `named_ns` is longer than the profile believes
    bool is_unusual = false;   ///< a pause longer than a window and a day: kept, but worth a line
    bool is_broken = false;    ///< an order's reply that is cut off or is not JSON
    int status = 0;            ///< that was judged; a frame's own
    std::uint16_t signal = no_index;     ///< that decided; no_index: the status or the transport
    std::uint16_t wait_rule = no_index;  ///< of `waits`, that named the wait
    std::span<const WaitRule> waits;     ///< the rules that were tried
    std::string_view per;                ///< Scope::key: the dimension
    BootTime received_at = {};
    std::int64_t wait_ns = 0;   ///< from received_at; 0: none
    std::int64_t named_ns = 0;  ///< before it was cut
    Counts counts;
    std::array<Charge, charges_max> charges{};  ///< what the call turned out to have cost
    std::size_t charge_count = 0;
};

/// `operation` as find_operation says; no_index if it is not known, which is taken as an order.
Reading read(const Profile& profile, const Reply& reply, std::uint16_t operation,
             const Times& times) noexcept;

/// The end of the wait; not set where there is none.
BootTime resume_at(const Reading& reading) noexcept;

/// The same for programs. Nothing has been done yet: nothing is refunded, nobody stopped.
Advice advice_of(const Profile& profile, const Reading& reading) noexcept;

}  // namespace ratecoord::venue
