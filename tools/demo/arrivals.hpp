// SPDX-License-Identifier: Apache-2.0
//
// What the venue saw and what the herd says it did, read from their logs.
//
// UNITS    Nanoseconds; `utc_ns` of the wall clock, the others of CLOCK_BOOTTIME.
// ERRORS   std::runtime_error for a file that is not such a log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace demo {

struct Arrival {
    std::int64_t utc_ns = 0;
    std::int64_t boot_ns = 0;
    int status = 0;
    std::string label;
    std::string account;
    std::map<std::string, std::uint64_t> charges;
    std::int64_t until_utc_ns = 0;  // of the wait or ban the reply named; 0: none

    bool accepted() const { return status >= 200 && status < 300; }
    bool banned() const { return status == 418; }
    std::uint64_t units(const std::string& limit) const;
};

// In order of arrival.
std::vector<Arrival> read_arrivals(const std::string& path);

struct Sent {
    unsigned worker = 0;
    std::uint64_t permit = 0;  // numbered in order of arrival; 0: no budget
    std::string kind;          // its costs and keys
    std::int64_t asked_ns = 0;
    std::int64_t at_ns = 0;
    std::int64_t deciding_ns = 0;  // the call that gave it began
    std::int64_t granted_ns = 0;   // and ended
    std::int64_t sent_ns = 0;
    std::int64_t replied_ns = 0;
    int status = 0;
    std::int64_t paused_ns = 0;  // when the pause that this reply caused was in force; 0: none
    std::int64_t pause_until_ns = 0;
};

struct Told {
    unsigned worker = 0;
    unsigned thread = 0;
    std::int64_t from_ns = 0;  // the instant it waited for
    std::int64_t to_ns = 0;
    std::int64_t told_ns = 0;
};

struct HerdLog {
    std::vector<Sent> sent;  // in order of permits
    std::vector<Told> told;  // in order of time
};

HerdLog read_herd_log(const std::string& path);

}  // namespace demo
