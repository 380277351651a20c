// SPDX-License-Identifier: Apache-2.0
//
// Durations as people write them: 250ms, 10s, 1m30s, 3d; on a command line 0.5s, too.
//
//     duration = part { part }          units descend: d h m s ms us ns, each at most once
//     part     = digits [ "." digits ] unit        only the last part may have a fraction
//
// PROMISE  Exact: a text that is not a whole number of nanoseconds is refused, as is a number
//          without a unit. format_duration writes what read_duration reads back to the same value.
// ERRORS   The reason, and the part of the text it is about; the words are the caller's.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace ratecoord::venue {

struct DurationUnit {
    std::string_view name;
    std::int64_t ns;
};

inline constexpr std::array<DurationUnit, 7> duration_units{{{"d", 86'400'000'000'000},
                                                             {"h", 3'600'000'000'000},
                                                             {"m", 60'000'000'000},
                                                             {"s", 1'000'000'000},
                                                             {"ms", 1'000'000},
                                                             {"us", 1'000},
                                                             {"ns", 1}}};

enum class Fraction : std::uint8_t { refused, in_last_part };

struct DurationFault {
    enum class Reason : std::uint8_t {
        empty,
        no_number,
        no_digit_after_point,
        no_unit,
        unknown_unit,
        units_ascend,
        early_fraction,
        too_long,
        not_whole,
    };
    Reason reason = Reason::empty;
    std::string_view part = {};  ///< no_number: what stands there instead; unknown_unit: the unit
};

tl::expected<std::chrono::nanoseconds, DurationFault> read_duration(std::string_view text,
                                                                    Fraction fraction) noexcept;

/// As a profile writes it: no fraction, and nothing for any other text.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) noexcept;

/// "1m30s"; "0s". Needs a duration that is not negative.
std::string format_duration(std::chrono::nanoseconds duration);

}  // namespace ratecoord::venue
