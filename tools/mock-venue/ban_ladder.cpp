// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/ban_ladder.hpp"

#include <algorithm>

namespace mock_venue {

namespace {

// Doubles without overflowing, whatever maximum was asked for.
Nanos doubled(Nanos length, Nanos most) {
    return length > most / 2 ? most : 2 * length;
}

}  // namespace

std::optional<Instant> BanLadder::banned_until(Instant now) const {
    if (now < until_) return until_;
    return std::nullopt;
}

Instant BanLadder::knock(Instant now) {
    if (rule_.extends && now - last_growth_ >= rule_.grace) {
        length_ = std::max(length_, doubled(length_, rule_.max));
        until_ = std::max(until_, now + length_);
        last_growth_ = now;
    }
    return until_;
}

std::optional<Instant> BanLadder::reject(Instant now, Instant penalty_end) {
    if (now >= penalty_end_) rejections_ = 0;
    penalty_end_ = std::max(penalty_end_, penalty_end);
    ++rejections_;
    if (rule_.ban_after == 0 || rejections_ < rule_.ban_after) return std::nullopt;
    const bool repeated = length_ > Nanos::zero() && now - until_ < rule_.forget;
    length_ = repeated ? doubled(length_, rule_.max) : std::min(rule_.base, rule_.max);
    until_ = now + length_;
    last_growth_ = now;
    rejections_ = 0;
    penalty_end_ = now;
    return until_;
}

void BanLadder::impose(Instant from, Instant until) {
    length_ = std::max(until - from, Nanos::zero());
    until_ = std::max(until_, until);
    last_growth_ = from;
}

}  // namespace mock_venue
