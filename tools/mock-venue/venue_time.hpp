// SPDX-License-Identifier: Apache-2.0
//
// The venue's clock types and how it writes instants down.
//
// Instants are UTC (CLOCK_REALTIME) with nanosecond ticks: that is the clock venues align their
// windows to. Nothing here reads a clock; `now` always comes from the server's edge.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace mock_venue {

using Nanos = std::chrono::nanoseconds;
using Instant = std::chrono::sys_time<Nanos>;

// Whole seconds, rounded up: a client that waits this long is never early.
std::int64_t seconds_up(Nanos duration);

// Epoch milliseconds, rounded up for the same reason.
std::int64_t epoch_ms_up(Instant instant);

std::int64_t epoch_ms(Instant instant);

std::int64_t epoch_ns(Instant instant);

// IMF-fixdate of RFC 9110, for example "Tue, 01 Jan 2030 00:00:03 GMT"; fractions are cut off.
std::string http_date(Instant instant);

}  // namespace mock_venue
