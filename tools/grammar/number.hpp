// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers as people write them.
//
// PROMISE  Digits only: no sign, no exponent, no base prefix, no blank. What does not fit 64 bits
//          is refused, never wrapped.
// ERRORS   invalid_argument, one sentence that quotes the text and says why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ratecoord/result.hpp>

namespace ratecoord::grammar {

/// `what` names the value in the message: "quota", "units".
Result<std::uint64_t> parse_number(std::string_view what, std::string_view text);

/// The text in quotes, fit for one line of an error: controls shown as '?', the end of a long one
/// cut off.
std::string in_quotes(std::string_view text);

}  // namespace ratecoord::grammar
