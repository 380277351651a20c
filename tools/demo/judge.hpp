// SPDX-License-Identifier: Apache-2.0
//
// The figures, from the venue's arrivals. Plain counting, in no way the library's own arithmetic.
//
// UNITS    Nanoseconds.
// SHARING  Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "demo/arrivals.hpp"

namespace demo {

struct Counts {
    std::uint64_t calls = 0;
    std::uint64_t accepted = 0;
    std::uint64_t rejected = 0;
    std::uint64_t senders = 0;                    // different labels
    std::optional<std::int64_t> last_success_ns;  // arrival, since the start
};
Counts count(const std::vector<Arrival>& arrivals, std::int64_t start_utc_ns);

// Units accepted in each aligned window of [from, to) that lies in it as a whole, in order; windows
// without any are 0.
std::vector<std::uint64_t> used_by_window(const std::vector<Arrival>& arrivals,
                                          const std::string& limit, std::int64_t window_ns,
                                          std::int64_t from_utc_ns, std::int64_t to_utc_ns);

// Accepted requests that draw from `limit` with key `account`, per second from the first to the
// last of them.
double sustained_per_second(const std::vector<Arrival>& arrivals, const std::string& limit,
                            const std::string& account);

// Permits that were given an instant before one that was asked for earlier at the same cost and
// keys: between equals no gap fits the later one only, so the order of arrival must hold (G5).
std::uint64_t out_of_turn(const HerdLog& log);

// How hard the herd comes back is seen in this time.
inline constexpr std::int64_t soon_ns = 100'000'000;

// One ban as the venue lived it.
struct Ban {
    std::int64_t started_boot_ns = 0;  // arrival of the request that got the first 418
    std::int64_t until_boot_ns = 0;
    std::vector<Arrival> knocks;                 // between the two, the first not included
    std::int64_t stop_ns = 0;                    // from the first to the last of them
    std::optional<std::int64_t> first_after_ns;  // arrival after the end, since the end
    std::uint64_t accepted_soon = 0;             // within `soon_ns` from that arrival on
};

std::vector<Ban> bans_of(const std::vector<Arrival>& arrivals);

// The same bans as the clients lived them.
struct Stop {
    // Knocks without a permit from before. A call that was under way while the pause was being set
    // may come before or after it; one that began when the pause was in force comes after.
    std::uint64_t not_on_their_way = 0;
    std::uint64_t permits_after = 0;  // given by such calls before the end of the pause
    // Since the first 418 was in a client's hands, until the last of those who waited then had read
    // their new instants. Nothing if nobody waited.
    std::optional<std::int64_t> last_told_ns;
    std::uint64_t waiters_told = 0;
    std::uint64_t beside_probe = 0;  // granted after the pause, before the probe's reply
    int probe_status = 0;            // 0: no probe was seen
};
std::vector<Stop> stops_of(const std::vector<Ban>& bans, const HerdLog& log);

}  // namespace demo
