// SPDX-License-Identifier: Apache-2.0
//
// Faults on demand: stops and bad replies at a given request or time, and orders that go astray.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "mock-venue/venue_time.hpp"

namespace mock_venue {

// With `retry_after` the whole venue stops for that long; without, `count` requests in a row are
// answered with `status`, uncharged and unapplied, and nothing else happens.
struct Injection {
    std::optional<std::uint64_t> at;  // number of the request, from 1
    std::optional<Nanos> at_time;     // since the venue opened
    unsigned status = 418;
    std::optional<Nanos> retry_after;
    std::uint64_t count = 1;
    bool extends = false;
};

// 'at=N|at_time=DURATION [status=418] [retry_after=DURATION] [count=N] [extends=0|1]'. Throws
// InvalidText.
Injection read_injection(std::string_view text);

struct Fault {
    unsigned status = 418;
    std::optional<Instant> stop_from;  // both set: the whole venue stops
    std::optional<Instant> stop_until;
    bool extends = false;
};

class FaultPlan {
  public:
    FaultPlan(const std::vector<Injection>& injections, Instant opened);

    // The fault that request number `n` at `now` meets. A stop is given once, and for a time
    // that has passed unvisited it lies in the past by then.
    std::optional<Fault> meet(std::uint64_t n, Instant now);

  private:
    struct Pending {
        Injection injection;
        std::uint64_t left;
    };

    std::vector<Pending> pending_;
    Instant opened_;
};

// Chances in millionths.
struct OrderChances {
    std::uint32_t slow = 0;
    Nanos slow_by{};
    std::uint32_t lose_request = 0;  // closed, nothing applied
    std::uint32_t lose_answer = 0;   // applied, then closed
    std::uint32_t fail = 0;          // 504 without a body, applied half of the time
    std::uint32_t duplicate = 0;     // handled twice, as by a proxy that sent it again
    std::uint32_t hide = 0;          // placed, and invisible to lookups for a while
    Nanos hide_for{};
};

struct OrderFate {
    bool slow = false;
    bool request_lost = false;
    bool answer_lost = false;
    bool failed = false;
    bool failed_applied = false;
    bool duplicated = false;
    bool hidden = false;
};

// Same seed, same sequence of fates.
class OrderFates {
  public:
    OrderFates(const OrderChances& chances, std::uint64_t seed)
        : chances_(chances), random_(seed), later_random_(~seed) {}

    OrderFate draw();
    Nanos slow_by() const { return chances_.slow_by; }
    Nanos hide_for() const { return chances_.hide_for; }

  private:
    static bool happens(std::mt19937_64& random, std::uint32_t millionths) {
        return random() % 1'000'000 < millionths;
    }

    OrderChances chances_;
    std::mt19937_64 random_;
    std::mt19937_64 later_random_;  // of the chances that came later: old seeds mean the same
};

}  // namespace mock_venue
