// SPDX-License-Identifier: Apache-2.0
//
// Instants of the wall clock as RFC 3339 writes them: 2027-03-02T10:02:00Z.
//
// PROMISE  Strict: date, 'T', time with seconds, and 'Z' or an offset of hours and minutes. A text
//          without an offset is refused; it would mean another instant on another machine.
// UNITS    Nanoseconds since 1970-01-01T00:00:00Z.
// ERRORS   invalid_argument, one sentence that quotes the text and says why.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <ratecoord/result.hpp>

namespace ratecoord::grammar {

using UtcTime = std::chrono::sys_time<std::chrono::nanoseconds>;

Result<UtcTime> parse_instant(std::string_view what, std::string_view text);

/// Whole seconds. What lies between two is rounded up: a pause never looks over before it is.
std::string format_instant(UtcTime at);
/// Milliseconds, rounded up.
std::string format_instant_ms(UtcTime at);

}  // namespace ratecoord::grammar
