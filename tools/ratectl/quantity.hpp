// SPDX-License-Identifier: Apache-2.0
//
// Numbers for a person's eye.
//
// PROMISE  A time that is left is rounded up: what is shown as 0 is over. A rate is rounded down.
//          Anything not known is "-".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ratectl {

/// "now" (none left), "180ms", "12.4s", "1m30s", "5h12m", "3d4h": the two largest parts.
std::string format_left(std::int64_t ns);
/// The same, rounded down: how long ago something was.
std::string format_age(std::int64_t ns);
/// Thousandths of a unit a second: "100.0/s", "0.333/s", "<0.001/s".
std::string format_rate(std::uint64_t per_second_milli);
std::string format_count(std::optional<std::uint64_t> count);
/// "1 permit", "2 permits"; `plural` where an s is not enough.
std::string format_counted(std::uint64_t count, std::string_view noun,
                           std::string_view plural = {});

}  // namespace ratectl
