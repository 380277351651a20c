// SPDX-License-Identifier: Apache-2.0
//
// Which signal of a profile a reply matches.
//
// PROMISE  S1  The first signal all of whose conditions hold; a condition that is not written
//              holds.
//          S2  Text is looked for in text_bytes_max at most; everything else is bounded by
//              JsonWalk.
// SHARING  Pure functions of what is handed in; nothing is allocated.
#pragma once

#include "venue/profile.hpp"
#include "venue/reply_view.hpp"

namespace ratecoord::venue {

/// The reply's status; of a frame what its `frame_status` says; 0 if neither does.
int status_of(const Profile& profile, ReplyView& view) noexcept;

/// Index of the signal; no_index if none matches. `status` as status_of says.
std::uint16_t matching_signal(const Profile& profile, ReplyView& view, int status,
                              std::uint16_t operation) noexcept;

/// Whether a part of a compound request was done although the rest was refused.
bool is_partly_done(const Signal& signal, ReplyView& view) noexcept;

}  // namespace ratecoord::venue
