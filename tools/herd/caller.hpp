// SPDX-License-Identifier: Apache-2.0
//
// One thread of one worker: asks, sends, reports and logs, call after call.
#pragma once

#include <string>
#include <vector>

#include "herd/call_log.hpp"
#include "herd/gate.hpp"
#include "herd/options.hpp"

namespace herd {

class Caller {
  public:
    Caller(const Options& options, Place place, int stop_fd, Gate& gate, CallLog& log);

    // From `start_ns` on, until its calls are done, the time is over or the herd ends. False if
    // something broke; the log says what.
    bool run(std::int64_t start_ns);

  private:
    enum class Next : std::uint8_t { again, done, end };

    bool is_over() const;
    std::size_t draw();
    Next call(std::uint64_t task);
    Next attempt(CallRecord& record, std::size_t kind, std::int64_t deadline_ns);
    Next turned_away(const CallRecord& record, const Admission& admission,
                     std::int64_t deadline_ns);
    Next give_up(const CallRecord& record, std::string_view reason);

    const Options& options_;
    Place place_;
    int stop_fd_;
    Gate& gate_;
    CallLog& log_;
    VenueClient client_;
    Mix mix_;
    std::vector<std::string> costs_json_;
    std::vector<std::string> keys_json_;
    std::int64_t end_ns_;  // of the duration; far away without one
    bool broken_ = false;
};

// A number for one thread's draws that no other thread of the herd has.
std::uint64_t seed_of(const Options& options, Place place);

std::string label_of(unsigned worker);

}  // namespace herd
