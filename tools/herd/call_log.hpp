// SPDX-License-Identifier: Apache-2.0
//
// What one worker did: a JSON line for every event, on file before the next thing is done.
//
//     {"event":"call","worker":3,"pid":4711,"thread":0,"task":0,"attempt":1,"permit":12,
//      "asked_ns":...,"at_ns":...,"deciding_ns":...,"granted_ns":...,"sent_ns":...,
//      "replied_ns":...,"status":200,"wait_ns":...,"cost":{"weight":1},"keys":{},"paused_ns":null,"pause_until_ns":null}
//     {"event":"refused", ... "asked_ns":...,"refusal":"paused","cost":{...}}
//     {"event":"moved", ... "permit":12,"from_ns":...,"to_ns":...,"told_ns":...}
//     {"event":"gave_up", ... "asked_ns":...,"reason":"timeout"}
//     {"event":"error", ... "message":"..."}
//
// PROMISE  A line is one write(2): whoever is killed leaves whole lines, and all that came before.
// UNITS    Instants in nanoseconds of CLOCK_BOOTTIME. `at_ns` is the permit's instant, null without
//          a budget. Between `deciding_ns` and `granted_ns` the call ran that gave it; they part
//          from `asked_ns` where moves are logged, since the wait then lies outside of that call.
//          `paused_ns`: when the pause that this reply caused was in force.
// SHARING  Threads of a worker may write at once: lines are appended, never mixed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "herd/mix.hpp"

namespace herd {

struct Place {
    unsigned worker = 0;
    unsigned thread = 0;
};

struct CallRecord {
    Place place;
    std::uint64_t task = 0;
    unsigned attempt = 0;
    std::uint64_t permit = 0;
    std::int64_t asked_ns = 0;
    std::int64_t at_ns = 0;  // 0: none
    std::int64_t deciding_ns = 0;
    std::int64_t granted_ns = 0;
    std::int64_t sent_ns = 0;
    std::int64_t replied_ns = 0;
    int status = 0;              // 0: no reply
    std::int64_t paused_ns = 0;  // 0: none
    std::int64_t pause_until_ns = 0;
    std::string_view cost_json;
    std::string_view keys_json;
};

struct Move {
    Place place;
    std::uint64_t id = 0;
    std::int64_t from_ns = 0;
    std::int64_t to_ns = 0;
    std::int64_t told_ns = 0;
};

class CallLog {
  public:
    // Throws std::system_error where the file cannot be made.
    explicit CallLog(const std::string& path);
    ~CallLog();
    CallLog(const CallLog&) = delete;
    CallLog& operator=(const CallLog&) = delete;

    void call(const CallRecord& record);
    void refused(const CallRecord& record, std::string_view refusal);
    void moved(const Move& move);
    void gave_up(const CallRecord& record, std::string_view reason);
    void error(const Place& place, std::string_view message);

    // False once a line could not be written.
    bool complete() const { return complete_; }

  private:
    void write_line(std::string_view line);

    int fd_ = -1;
    bool complete_ = true;
};

}  // namespace herd
