// SPDX-License-Identifier: Apache-2.0
//
// One scene's venue and herd: started, watched, read.
//
// ERRORS   std::runtime_error where a program does not start, dies or complains; Interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "demo/arrivals.hpp"
#include "demo/process.hpp"
#include "demo/workspace.hpp"

namespace demo {

// What the venue says of itself while it runs; for progress only.
struct VenueNow {
    std::uint64_t requests = 0;
    std::uint64_t accepted = 0;
    std::uint64_t rejected = 0;
    std::uint64_t bans = 0;  // that have begun
    bool banned = false;     // right now
};

class Venue {
  public:
    Venue(Signals& signals, const Workspace& workspace, const std::vector<std::string>& options);

    std::string url() const;
    // Nothing where it does not answer in time.
    std::optional<VenueNow> now() const;
    // Ends it and reads its log.
    std::vector<Arrival> close();

  private:
    Signals& signals_;
    std::string log_file_;
    std::string port_;
    Process process_;
};

struct HerdReport {
    std::int64_t started_utc_ns = 0;
    std::uint64_t gave_up = 0;
    std::uint64_t failed = 0;
    double wait_p50_s = 0;
    double wait_max_s = 0;
    std::uint64_t least_per_worker = 0;
    std::uint64_t most_per_worker = 0;
};

// Once a second: the time since the start and the venue's word. Returns false to end the herd.
using Watch = std::function<bool(double, const VenueNow&)>;

class Herd {
  public:
    // `prefix` tells the files of a second herd from those of the first.
    Herd(Signals& signals, const Workspace& workspace, const Venue& venue,
         const std::vector<std::string>& options, const std::string& prefix = {});

    // Until it is done, or `watch` says so.
    HerdReport wait(const Watch& watch);
    HerdLog log() const;

  private:
    HerdReport report(int exit_code) const;

    Signals& signals_;
    const Venue& venue_;
    std::string log_file_;
    std::string output_file_;
    std::string error_file_;
    Process process_;
};

}  // namespace demo
