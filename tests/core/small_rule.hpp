// SPDX-License-Identifier: Apache-2.0
//
// Rules of a few nanoseconds, for properties that try every instant.
#pragma once

#include "core/scratch_budget.hpp"

namespace core_test {

/// A small rule of any kind from three bytes.
inline LimitRecord small_rule(std::uint8_t kind, std::uint8_t a, std::uint8_t b) {
    const std::int64_t window = 16 + a % 40;
    const std::int64_t slack = 1 + b % 4;
    const std::uint64_t quota = 2 + a % 7;
    const std::uint64_t burst = 1 + b % quota;
    LimitRecord record{};
    switch (kind % 5) {
        case 0:
            record = tiny_record(LimitKind::bucket, quota, window, burst + 2, slack);
            break;
        case 1:
            record = tiny_record(LimitKind::rolling, quota, window, burst, slack);
            break;
        case 2:
            record = tiny_record(LimitKind::spacing, 1, window / 2, 1, slack);
            break;
        default:
            record = tiny_record(LimitKind::fixed, quota, window, burst, slack);
            record.spread = kind % 5 == 4 ? 1 : 0;
    }
    if (kind >= 128 && record.kind != 4 && quota >= 4 && record.burst >= 2) {
        record.reserve_percent = 30;
    }
    // What to_record refuses stands in no budget.
    const Rule rule = compile(record);
    const bool usable = rule.lane[0].largest > 0 && (!rule.has_reserve || rule.lane[1].largest > 0);
    return usable ? record : tiny_record(LimitKind::rolling, quota, window, burst, slack);
}

}  // namespace core_test
