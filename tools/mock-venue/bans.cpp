// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/bans.hpp"

#include <algorithm>
#include <utility>

namespace mock_venue {

std::optional<Ban> Bans::arrive_at(Holder& holder, Instant now) {
    if (!holder.ladder.banned_until(now)) return std::nullopt;
    const Instant until = holder.ladder.knock(now);
    BanRecord& record = records_[holder.record];
    record.until = until;
    record.last_arrival = now;
    ++record.arrivals;
    return Ban{holder.status, until};
}

std::optional<Ban> Bans::arrive(std::string_view address, Instant now) {
    std::optional<Ban> standing;
    if (venue_) standing = arrive_at(*venue_, now);
    const auto found = addresses_.find(address);
    if (found == addresses_.end()) return standing;
    const auto own = arrive_at(found->second, now);
    return own && (!standing || own->until > standing->until) ? own : standing;
}

std::optional<Ban> Bans::reject(std::string_view address, Instant now, Instant penalty_end) {
    auto found = addresses_.find(address);
    if (found == addresses_.end()) {
        found = addresses_.emplace(std::string(address), Holder{BanLadder(rule_)}).first;
    }
    Holder& holder = found->second;
    const auto until = holder.ladder.reject(now, penalty_end);
    if (!until) return std::nullopt;
    holder.status = ladder_status_;
    holder.record = records_.size();
    records_.push_back({"ladder", found->first, holder.status, now, *until, 0, std::nullopt});
    return Ban{holder.status, *until};
}

Ban Bans::stop_venue(std::string cause, unsigned status, Instant from, Instant until,
                     bool extends) {
    LadderRule rule = rule_;
    rule.extends = extends;
    Instant end = until;
    if (venue_) end = std::max(end, venue_->ladder.banned_until(from).value_or(end));
    venue_ = Holder{BanLadder(rule), status, records_.size()};
    venue_->ladder.impose(from, end);
    records_.push_back({std::move(cause), "", status, from, end, 0, std::nullopt});
    return Ban{status, end};
}

}  // namespace mock_venue
