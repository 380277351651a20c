// SPDX-License-Identifier: Apache-2.0
#include "core/rule.hpp"

namespace ratecoord::core {
namespace {

/// Most units whose time is at most the tolerance.
std::uint64_t largest_within(const Bucket& bucket) noexcept {
    if (bucket.tolerance <= 0) return 0;
    const auto product =
        static_cast<unsigned __int128>(static_cast<std::uint64_t>(bucket.tolerance)) * bucket.quota;
    auto units = static_cast<std::uint64_t>(std::min<unsigned __int128>(
        product / static_cast<std::uint64_t>(bucket.period), std::uint64_t{1} << 32));
    while (units > 0 && bucket.time(units) > bucket.tolerance) --units;
    // A tolerance rounded up may admit a unit whose exact time is just above it; the burst itself
    // is the bound that was meant, so nothing is added here.
    return units;
}

/// The part of `whole` a lane gets when `percent` of it are kept for the critical one.
std::uint64_t share(std::uint64_t whole, std::uint32_t percent, std::size_t lane) noexcept {
    const std::uint64_t critical = std::max<std::uint64_t>(1, whole * percent / 100);
    if (lane == 1) return critical;
    return whole > critical ? whole - critical : 0;
}

LaneRule bucket_lane(const LimitRecord& record, std::size_t lane, bool split) noexcept {
    LaneRule result;
    std::uint64_t burst = record.burst;
    result.bucket.period = record.window_ns;
    result.bucket.quota = record.quota;
    if (split) {
        const std::uint64_t percent =
            lane == 1 ? record.reserve_percent : 100 - record.reserve_percent;
        burst = share(record.burst, record.reserve_percent, lane);
        result.bucket.period = record.window_ns * 100;
        result.bucket.quota = record.quota * percent;
    }
    result.bucket.tolerance = result.bucket.time(burst) - record.slack_ns;
    result.largest = largest_within(result.bucket);
    return result;
}

LaneRule rolling_lane(const LimitRecord& record, std::size_t lane, bool split) noexcept {
    std::uint64_t quota = record.quota;
    std::uint64_t burst = record.burst;
    if (split) {
        quota = share(record.quota, record.reserve_percent, lane);
        // Each lane alone keeps its own quota in any window, so its burst may be its own too.
        burst = lane == 1
                    ? share(record.burst, record.reserve_percent, 1)
                    : std::max(record.largest_cost, share(record.burst, record.reserve_percent, 0));
        burst = std::max<std::uint64_t>(1, burst);
    }
    LaneRule result;
    if (quota == 0 || burst > quota) return result;
    result.bucket.period = record.window_ns + record.slack_ns;
    result.bucket.quota = quota + 1 - burst;
    result.bucket.tolerance = result.bucket.time(burst);
    result.largest = burst;
    return result;
}

LaneRule fixed_lane(const LimitRecord& record, std::size_t lane, bool split) noexcept {
    LaneRule result;
    result.quota = split ? share(record.quota, record.reserve_percent, lane) : record.quota;
    if (result.quota == 0) return result;
    const std::uint64_t burst = std::max<std::uint64_t>(
        1, split ? share(record.burst, record.reserve_percent, lane) : record.burst);
    result.bucket.period = record.window_ns - 2 * record.slack_ns;
    result.bucket.quota = result.quota;
    result.bucket.tolerance = result.bucket.time(burst);
    result.single = result.bucket.time(1);
    result.largest = result.quota;
    return result;
}

}  // namespace

Rule compile(const LimitRecord& record) noexcept {
    Rule rule;
    rule.kind = static_cast<LimitKind>(record.kind);
    rule.has_reserve = record.reserve_percent > 0;
    rule.spread = record.spread != 0;
    rule.keyed = record.per[0] != '\0';
    rule.window = record.window_ns;
    rule.slack = record.slack_ns;
    rule.quota = record.quota;
    rule.burst = record.burst;
    for (std::size_t i = 0; i < (rule.has_reserve ? lanes : 1); ++i) {
        switch (rule.kind) {
            case LimitKind::bucket:
                rule.lane[i] = bucket_lane(record, i, rule.has_reserve);
                break;
            case LimitKind::rolling:
            case LimitKind::spacing:
                rule.lane[i] = rolling_lane(record, i, rule.has_reserve);
                break;
            case LimitKind::fixed:
                rule.lane[i] = fixed_lane(record, i, rule.has_reserve);
                break;
        }
    }
    if (!rule.has_reserve) rule.lane[1] = rule.lane[0];
    return rule;
}

std::uint64_t sustained_per_second_milli(const Rule& rule) noexcept {
    unsigned __int128 sum = 0;
    for (std::size_t i = 0; i < (rule.has_reserve ? lanes : 1); ++i) {
        const LaneRule& lane = rule.lane[i];
        const unsigned __int128 milli = static_cast<unsigned __int128>(second_ns) * 1000;
        if (rule.is_fixed()) {
            sum += milli * lane.quota / static_cast<std::uint64_t>(rule.window);
        } else {
            sum += milli * lane.bucket.quota / static_cast<std::uint64_t>(lane.bucket.period);
        }
    }
    return static_cast<std::uint64_t>(sum);
}

}  // namespace ratecoord::core
