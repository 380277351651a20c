// SPDX-License-Identifier: Apache-2.0
//
// The judge's evidence: one JSON line for every request that arrived.
//
//     {"n":1,"t_ns":...,"boot_ns":...,"method":"GET","path":"/x","status":200,
//      "accepted":true,"charges":{"weight":25},"account":null,"label":"w7","ip":"127.0.0.1",
//      "refused_by":null,"until_ns":null,"used":{"weight":25}}
//
// `t_ns` and `boot_ns` are read when the head of the request was parsed. `status` 0 means that the
// connection was closed unanswered. `charges` are the units asked for; they were charged if
// `accepted`. `used` is what the counters showed afterwards. `refused_by` names the limit that
// refused, `until_ns` the end of the wait or ban that the reply was about.
//
// Lines are written whole, by nlohmann-json: labels and paths come from clients and need real
// escaping. Its cost, some microseconds a line, is a small part of what a request costs here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mock-venue/venue_time.hpp"

namespace mock_venue {

struct ArrivalRecord {
    std::uint64_t n = 0;
    Instant at{};
    Nanos boot_time{};
    std::string_view method;
    std::string_view path;
    unsigned status = 0;
    bool accepted = false;
    std::vector<std::pair<std::string_view, std::uint64_t>> charges;
    std::optional<std::string_view> account;
    std::optional<std::string_view> label;
    std::string_view address;
    std::optional<std::string_view> refused_by;
    std::optional<Instant> until;
    std::vector<std::pair<std::string_view, std::uint64_t>> used;
};

// Without the newline.
std::string to_json_line(const ArrivalRecord& record);

// Collects lines and writes them when told to, or when a good many have come together.
class ArrivalLog {
  public:
    // An empty path makes a log that keeps nothing. Throws std::system_error where the file cannot
    // be opened; an existing file is emptied.
    explicit ArrivalLog(const std::string& path);
    ~ArrivalLog();
    ArrivalLog(const ArrivalLog&) = delete;
    ArrivalLog& operator=(const ArrivalLog&) = delete;

    bool enabled() const { return fd_ >= 0; }
    void add(const ArrivalRecord& record);

    // False once a write has failed: the evidence is incomplete from then on.
    bool flush();

  private:
    int fd_ = -1;
    bool complete_ = true;
    std::string pending_;
};

}  // namespace mock_venue
