// SPDX-License-Identifier: Apache-2.0
//
// Durations on a command line: 250ms, 0.5s, 1m30s, 2h, 7d; as venue/duration.hpp reads them, with
// the reason in words.
//
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
