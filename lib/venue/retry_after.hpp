// SPDX-License-Identifier: Apache-2.0
//
// The value of one Retry-After line.
//
// PROMISE  A1  Either one or more ASCII digits or an HTTP date, spaces and tabs around it apart;
//              anything else is unusable, never a guess from a part of it.
//          A2  Too large a number saturates at wait_s_max. 0, a date that is over and a date that
//              is now are unusable: no value means "do not wait".
// UNITS    Whole seconds.
// TIME     Seconds count from receipt, dates from `now_s`: the reply's own Date where it has one.
// SOURCE   RFC 9110, 10.2.3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ratecoord::venue {

/// 68 years: whatever is cut to it is cut to the longest credible wait next.
inline constexpr std::int64_t wait_s_max = 2'147'483'647;

/// Seconds to wait from receipt, 1 to wait_s_max.
std::optional<std::int64_t> parse_retry_after(std::string_view value, std::int64_t now_s) noexcept;

}  // namespace ratecoord::venue
