// SPDX-License-Identifier: Apache-2.0
//
// How long a reply asks to wait.
//
// PROMISE  W1  Sources are tried in the order of the profile; the first usable one counts, or with
//              takes_longest the longest. Of several lines of one header the longest (B17).
//          W2  Nothing unusable, zero, negative, over or overflowing is read as "no wait": it is as
//              if it were not there (policy F).
//          W3  Waits count from receipt. An instant counts against the venue's own clock: the
//              rule's `now`, else the reply's Date, else ours.
// UNITS    Nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "venue/profile.hpp"
#include "venue/reply_view.hpp"

namespace ratecoord::venue {

struct Wait {
    std::int64_t ns = 0;
    WaitSource source = WaitSource::none;
    std::uint16_t rule = no_index;  ///< which of the rules
};

std::optional<Wait> named_wait(const Profile& profile, ReplyView& view,
                               std::span<const WaitRule> rules, bool takes_longest) noexcept;

/// To the start of the next window of a limit: of a fixed one on the venue's clock, else a whole
/// window.
std::int64_t to_next_window(const LimitDefinition& limit, std::int64_t server_ns) noexcept;

}  // namespace ratecoord::venue
