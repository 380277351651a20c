// SPDX-License-Identifier: Apache-2.0
//
// Lines on standard error, with the priority that systemd reads where it listens.
//
// SHARING  Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace coordinatord {

enum class Severity { error = 3, warning = 4, notice = 5, info = 6 };

void log_line(Severity severity, const std::string& text);

/// UTC, nanoseconds since 1970.
std::int64_t wall_clock_ns();

}  // namespace coordinatord
