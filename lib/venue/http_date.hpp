// SPDX-License-Identifier: Apache-2.0
//
// The three dates of HTTP as seconds since 1970.
//
//     Sun, 06 Nov 1994 08:49:37 GMT      IMF-fixdate
//     Sunday, 06-Nov-94 08:49:37 GMT     RFC 850
//     Sun Nov  6 08:49:37 1994           asctime
//
// PROMISE  Strict: the whole text, in the case and with the blanks of the grammar, a day that the
//          month has, years 0000 to 9999, no zone but GMT. The weekday is not compared with the
//          date. Second 60 is the first of the next minute.
//          A two-digit year is the latest that lies at most 50 years after `now_s`.
// TIME     Reads no clock, no locale and no TZ.
// SOURCE   RFC 9110, 5.6.7.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ratecoord::venue {

std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now_s) noexcept;

}  // namespace ratecoord::venue
