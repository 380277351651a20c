// SPDX-License-Identifier: Apache-2.0
//
// What the venue would count, by brute force over the list of permits; and the safe rule of a
// limit, derived once more from its definition.
//
// PROMISE  Written from the definitions of DESIGN section 3. It shares no arithmetic with the
//          library: units are counted, windows are tried one by one, fractions are 128 bits wide.
// UNITS    Nanoseconds, units of the limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/definition.hpp"

namespace core_test {

using Wide = __int128;

/// What one permit drew from one limit.
struct Drawn {
    std::int64_t at = 0;
    std::int64_t valid_until = 0;
    std::uint64_t units = 0;
};

/// Most units that can reach the venue inside one half-open window of length `window`, wherever it
/// starts, when each permit's request arrives anywhere in [at, valid_until].
std::uint64_t most_in_any_window(std::vector<Drawn> drawn, std::int64_t window);

/// Most units in one window aligned to the venue's clock, which runs `ahead` of our UTC.
/// nullopt: a request may reach another window than the one it was charged to.
std::optional<std::uint64_t> most_in_aligned_window(const std::vector<Drawn>& drawn,
                                                    std::int64_t window, std::int64_t utc_offset,
                                                    std::int64_t ahead);

/// Whether the venue's exact token bucket (capacity, quota units a window, full at first) can be
/// overdrawn by requests that arrive anywhere in [at, valid_until].
bool overdraws_bucket(std::vector<Drawn> drawn, std::uint64_t capacity, std::uint64_t quota,
                      std::int64_t window);

/// G1 for one limit, in words if it is broken.
std::optional<std::string> broken(const ratecoord::core::LimitRecord& record,
                                  const std::vector<Drawn>& drawn, std::int64_t utc_offset);

/// The safe rule of one lane: T = period/rate a unit.
struct ReferenceLane {
    Wide period = 1;
    Wide rate = 1;
    std::int64_t tolerance = 0;
    std::int64_t single = 0;    ///< fixed: time of one unit, tolerance of burst 1
    std::uint64_t quota = 0;    ///< fixed: units a window
    std::uint64_t largest = 0;  ///< most units that can ever fit

    std::int64_t time(std::uint64_t units) const {
        const Wide product = Wide(units) * period;
        return static_cast<std::int64_t>((product + rate - 1) / rate);
    }
};

struct ReferenceRule {
    ratecoord::LimitKind kind = ratecoord::LimitKind::rolling;
    std::int64_t window = 0;
    std::int64_t slack = 0;
    bool spread = false;
    bool has_reserve = false;
    ReferenceLane lane[2];

    bool is_fixed() const { return kind == ratecoord::LimitKind::fixed; }
    std::size_t lane_of(bool critical) const { return has_reserve && critical ? 1 : 0; }
};

ReferenceRule derive(const ratecoord::core::LimitRecord& record);

/// Start of the aligned window that holds `utc`.
std::int64_t aligned(std::int64_t utc, std::int64_t window);

}  // namespace core_test
