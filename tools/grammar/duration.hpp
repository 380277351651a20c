// SPDX-License-Identifier: Apache-2.0
//
// Durations as people write them: 250ms, 0.5s, 1m30s, 2h, 7d.
//
//     duration = part { part }          units descend: d h m s ms us ns, each at most once
//     part     = digits [ "." digits ] unit        only the last part may have a fraction
//
// PROMISE  Exact: a text that is not a whole number of nanoseconds is refused, as is a number
//          without a unit. format_duration writes what parse_duration reads back to the same value.
// ERRORS   invalid_argument, one sentence that quotes the text and says why.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <ratecoord/result.hpp>

namespace ratecoord::grammar {

/// `what` names the value in the message: "window", "--timeout".
Result<std::chrono::nanoseconds> parse_duration(std::string_view what, std::string_view text);

/// Exact: "1m30s", "1s500ms", "0s". Negative ones are written with a minus, which is not read back.
std::string format_duration(std::chrono::nanoseconds duration);

}  // namespace ratecoord::grammar
