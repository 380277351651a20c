// SPDX-License-Identifier: Apache-2.0
#include "grammar/duration.hpp"

#include <limits>

#include "grammar/number.hpp"
#include "venue/duration.hpp"

namespace ratecoord::grammar {

namespace {

using venue::DurationFault;
using venue::Fraction;

std::string words_of(const DurationFault& fault) {
    using Reason = DurationFault::Reason;
    switch (fault.reason) {
        case Reason::empty:
            return "is empty";
        case Reason::no_number:
            return "has no number before " + in_quotes(fault.part.substr(0, 8));
        case Reason::no_digit_after_point:
            return "has no digit after its point";
        case Reason::no_unit:
            return "needs a unit: ns, us, ms, s, m, h or d";
        case Reason::unknown_unit:
            return "has the unknown unit " + in_quotes(fault.part) +
                   "; write ns, us, ms, s, m, h or d";
        case Reason::units_ascend:
            return "does not go from larger units to smaller ones";
        case Reason::early_fraction:
            return "has a fraction before its last part";
        case Reason::too_long:
            return "is longer than 292 years";
        case Reason::not_whole:
            return "is not a whole number of nanoseconds";
    }
    return "is no duration";
}

}  // namespace

Result<std::chrono::nanoseconds> parse_duration(std::string_view what, std::string_view text) {
    const auto refused = [&](const std::string& why) {
        return fail(ErrorCode::invalid_argument,
                    std::string(what) + " " + in_quotes(text) + " " + why);
    };
    if (text.starts_with('-')) return refused("is negative");
    const auto read = venue::read_duration(text, Fraction::in_last_part);
    if (!read) return refused(words_of(read.error()));
    return *read;
}

std::string format_duration(std::chrono::nanoseconds duration) {
    if (duration.count() >= 0) return venue::format_duration(duration);
    constexpr std::chrono::nanoseconds longest{std::numeric_limits<std::int64_t>::max()};
    return "-" + venue::format_duration(duration < -longest ? longest : -duration);
}

}  // namespace ratecoord::grammar
