// SPDX-License-Identifier: Apache-2.0
//
// What the log says the herd did: one report, two renderings.
//
// PROMISE  Made from the log lines alone, so that a kept log gives the same summary again.
// UNITS    Nanoseconds; rendered as seconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace herd {

struct Spread {
    std::int64_t p50 = 0;
    std::int64_t p99 = 0;
    std::int64_t max = 0;
};

struct Summary {
    unsigned workers = 0;
    unsigned threads = 0;
    unsigned failed_workers = 0;
    bool cut_short = false;       // by --run-for or a signal
    std::int64_t started_ns = 0;  // boot time
    std::int64_t started_utc_ns = 0;
    std::uint64_t calls = 0;  // requests sent
    std::uint64_t accepted = 0;
    std::map<int, std::uint64_t> rejected;         // 3xx and 4xx, by status
    std::uint64_t failed = 0;                      // 5xx or no reply
    std::map<std::string, std::uint64_t> refused;  // permits not given, by reason
    std::uint64_t moved = 0;
    std::uint64_t gave_up = 0;
    std::optional<std::int64_t> last_success_ns;  // reply, since the start
    std::optional<Spread> wait;                   // asked to granted, of every request sent
    std::uint64_t least_per_worker = 0;           // accepted
    std::uint64_t most_per_worker = 0;
    std::map<std::string, std::uint64_t> errors;  // messages of the workers

    std::uint64_t rejected_calls() const;
    bool went_well() const;
};

// The nearest-rank percentiles of `values`, which it sorts; nothing for an empty list.
std::optional<Spread> spread_of(std::vector<std::int64_t>& values);

// Reads log lines one by one.
class Tally {
  public:
    Tally(unsigned workers, unsigned threads, std::int64_t started_ns);

    // Returns the instant the line is about, for putting lines of several workers in order; nothing
    // for a text that is no log line.
    std::optional<std::int64_t> add(std::string_view line);

    Summary finish();

  private:
    Summary summary_;
    std::vector<std::int64_t> waits_;
    std::vector<std::uint64_t> accepted_by_worker_;
};

std::string as_text(const Summary& summary);
std::string as_json(const Summary& summary);

}  // namespace herd
