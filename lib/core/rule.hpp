// SPDX-License-Identifier: Apache-2.0
//
// What may safely be sent under a limit: the definition turned into arithmetic.
//
// PROMISE  R1  bucket: T = window/quota a unit, tolerance burst*T - slack.
//          R2  rolling, spacing: T = (window+slack)/(quota+1-burst), tolerance burst*T; in any
//              window at most quota units, late arrivals up to slack included.
//          R3  fixed: quota a window, permits in [start+slack, end-slack); with spread, a bucket
//              on top with T = (window-2 slack)/quota, which delays but never refuses.
//          R4  A reserve of x% gives two lanes whose quotas, rates and bursts sum to at most the
//              limit's own.
// UNITS    Nanoseconds, units of the limit.
// SHARING  Values, made once per version of the definitions.
// SOURCE   GCRA as virtual scheduling, ITU-T I.371.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/definition.hpp"
#include "core/state.hpp"

namespace ratecoord::core {

/// Longer windows start unverified in a new segment: a day closed after every restart would be an
/// outage of a day.
inline constexpr std::int64_t long_window_ns = 600 * second_ns;

/// A bucket as GCRA sees it. T is period/quota; it is kept as a fraction so that nothing is rounded
/// before the last step.
struct Bucket {
    std::uint64_t quota = 1;
    std::int64_t period = 1;
    std::int64_t tolerance = 0;

    std::int64_t time(std::uint64_t units) const noexcept {
        return units_to_time(units, period, quota);
    }
};

struct LaneRule {
    Bucket bucket;              ///< fixed: the pace inside the window
    std::uint64_t quota = 0;    ///< fixed: units a window; else 0
    std::uint64_t largest = 0;  ///< most units one request may ask of this lane
    std::int64_t single = 0;    ///< fixed: time of one unit at the pace, the tolerance of burst 1
};

struct Rule {
    LimitKind kind = LimitKind::rolling;
    bool has_reserve = false;
    bool spread = false;
    bool keyed = false;
    std::int64_t window = 0;
    std::int64_t slack = 0;
    std::uint64_t quota = 0;
    std::uint64_t burst = 0;
    std::array<LaneRule, lanes> lane;

    bool is_fixed() const noexcept { return kind == LimitKind::fixed; }
    /// Lane whose state a request that took `asked` draws from.
    std::size_t effective(std::size_t asked) const noexcept { return has_reserve ? asked : 0; }
};

/// Needs a valid record.
Rule compile(const LimitRecord& record) noexcept;

/// Units a second that result in the long run, in thousandths: what `ratectl show` prints.
std::uint64_t sustained_per_second_milli(const Rule& rule) noexcept;

/// The rules of one budget. `previous[i]` is what limit i had before, while a cell still counts it.
struct Rules {
    std::vector<Rule> current;
    std::vector<Rule> previous;

    /// Rule of a cell. Needs a valid state.
    const Rule& of(const Cell& cell) const noexcept {
        return cell.in_use == 2 ? previous[cell.limit] : current[cell.limit];
    }
};

}  // namespace ratecoord::core
