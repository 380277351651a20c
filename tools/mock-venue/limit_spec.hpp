// SPDX-License-Identifier: Apache-2.0
//
// One limit of the venue, as it is written on the command line.
//
//     NAME=QUOTA/WINDOW[,kind=fixed|rolling|bucket][,burst=CAPACITY][,per=ip|HEADER]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mock-venue/venue_time.hpp"

namespace mock_venue {

enum class LimitKind { fixed, rolling, bucket };

std::string_view name_of(LimitKind kind);

struct LimitSpec {
    std::string name;
    std::uint64_t quota = 0;  // units per window; for a bucket the units regained per window
    Nanos window{};           // as counted, that is after the time scale
    Nanos published{};        // as written; headers and messages name this one
    LimitKind kind = LimitKind::fixed;
    std::uint64_t burst = 0;  // capacity of a bucket, else 0
    std::string per;          // empty: per address; else the header whose value is the key

    bool keyed() const { return !per.empty(); }
};

// Throws InvalidText. The window is not scaled yet: window == published.
LimitSpec read_limit(std::string_view text);

// Divides the counted window by `scale`. Throws InvalidText where it does not divide evenly, since
// a rounded window would no longer be aligned to the clock.
void scale_window(LimitSpec& limit, std::uint64_t scale);

// A duration in its largest whole unit: "1M" for 60 s, "10S", "500MS".
std::string header_window(Nanos window);

// The same in words as the venue's messages have it: "1 MINUTE", "10 SECOND".
std::string message_window(Nanos window);

}  // namespace mock_venue
