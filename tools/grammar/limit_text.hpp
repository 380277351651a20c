// SPDX-License-Identifier: Apache-2.0
//
// A limit on a command line.
//
//     NAME=QUOTA/WINDOW[,kind=fixed|rolling|bucket|spacing][,burst=N][,slack=50ms][,per=account]
//                      [,reserve=5%][,spread][,largest=N]
//
//     weight=6000/1m,kind=fixed,slack=500ms        6000 units in each minute of the UTC clock
//     requests=20/1s,kind=bucket,burst=50          20 come back each second, 50 at once
//
// PROMISE  Strict about the text: every field is known, given once and complete. What the numbers
//          must satisfy (a window, a burst below the quota) is the library's to refuse.
// ERRORS   invalid_argument, one sentence that names the field, quotes its text and says why.
#pragma once

#include <string>
#include <string_view>

#include <ratecoord/limit.hpp>
#include <ratecoord/result.hpp>

namespace ratecoord::grammar {

/// Fields that are not written have the defaults of LimitDefinition or, if `base` is given, the
/// values of `base`; a burst of `base` is not kept where the kind changes and is lowered to the
/// quota where it would be above it.
Result<LimitDefinition> parse_limit(std::string_view text, const LimitDefinition* base = nullptr);

/// NAME of a text that parse_limit would read; empty if there is none.
std::string limit_name(std::string_view text);

/// What parse_limit reads back to the same definition; defaults are left out.
std::string format_limit(const LimitDefinition& definition);

std::string_view name_of(LimitKind kind) noexcept;

}  // namespace ratecoord::grammar
