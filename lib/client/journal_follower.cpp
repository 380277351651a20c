// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/journal_follower.hpp>

#include <algorithm>

namespace ratecoord {

JournalFollower::News JournalFollower::take(const JournalPage& page) {
    News news;
    const bool first = segment_.empty();
    if (page.segment_id != segment_) {
        news.made_anew = !first;
        segment_ = page.segment_id;
        looked_ = 0;
        next_ = 1;
        // Of what was there before us nothing is lost: it was not asked for.
        if (first)
            next_ =
                std::max(page.oldest, page.next - std::min<std::uint64_t>(last_, page.next - 1));
    }
    if (page.oldest > next_) {
        news.overwritten = page.oldest - next_;
        next_ = page.oldest;
        looked_ = 0;
    }
    for (const auto& entry : page.entries) {
        if (entry.sequence < next_) continue;
        if (entry.sequence > next_ && !first) {
            if (looked_ < patience) {
                ++looked_;
                break;
            }
            news.unfinished += entry.sequence - next_;
        }
        news.entries.push_back(entry);
        next_ = entry.sequence + 1;
        looked_ = 0;
    }
    return news;
}

}  // namespace ratecoord
