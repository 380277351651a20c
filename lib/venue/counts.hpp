// SPDX-License-Identifier: Apache-2.0
//
// What a reply says of the venue's counts.
//
// PROMISE  U1  A count is tied to its window by the venue's clock: its reset, else the reply's
//              Date; without either it is dropped where the window turned since the request was
//              sent.
//          U2  `fixed` limits get units used, the others units left, whichever the venue tells.
//          U3  -1, fractions, words and numbers above 2^53 are no counts.
// UNITS    Units of the limits; instants of BootClock.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "venue/profile.hpp"
#include "venue/reply_view.hpp"

namespace ratecoord::venue {

inline constexpr std::size_t counts_max = 8;

struct Count {
    std::uint16_t limit = no_index;
    std::uint16_t feedback = no_index;  ///< the rule it was read by
    bool is_remaining = false;
    std::uint64_t units = 0;
    BootTime at = {};  ///< lies in the window it belongs to
};

struct Counts {
    std::array<Count, counts_max> list{};
    std::size_t size = 0;
    std::uint8_t dropped = 0;  ///< read, but of no window that can be named

    std::span<const Count> all() const noexcept { return {list.data(), size}; }
};

Counts read_counts(const Profile& profile, ReplyView& view, std::uint16_t operation) noexcept;

}  // namespace ratecoord::venue
