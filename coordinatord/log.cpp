// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/log.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace coordinatord {

void log_line(Severity severity, const std::string& text) {
    // systemd sets it for the services whose output it reads.
    static const bool is_journal = std::getenv("JOURNAL_STREAM") != nullptr;
    std::string line = is_journal ? '<' + std::to_string(static_cast<int>(severity)) + '>'
                                  : std::string("coordinatord: ");
    for (const char c : text) line += c == '\n' ? ' ' : c;
    line += '\n';
    // There is nobody to tell that nobody can be told.
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

std::int64_t wall_clock_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace coordinatord
