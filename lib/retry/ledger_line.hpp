// SPDX-License-Identifier: Apache-2.0
//
// One line of an order ledger.
//
// PROMISE  What was written and read back is equal; anything else is no line.
// STATE    `begin NUMBER MARK ID SYMBOL CHECKSUM` or `end NUMBER 0 ID STATE CHECKSUM`, parted by
//          one blank; NUMBER is UTC in nanoseconds, MARK and CHECKSUM 16 hexadecimal digits.
//          Characters that could part words are written as %XX.
// SHARING  Pure functions of values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ratecoord::retry {

struct LedgerLine {
    bool is_begin = true;
    std::int64_t utc_ns = 0;
    std::uint64_t mark = 0;  ///< random for each begin: whose line it is
    std::string client_id;
    std::string word;  ///< begin: the symbol; end: the state's name

    bool operator==(const LedgerLine&) const = default;
};

/// With its newline.
std::string to_text(const LedgerLine& line);
/// Without its newline.
std::optional<LedgerLine> parse_ledger_line(std::string_view text);

}  // namespace ratecoord::retry
