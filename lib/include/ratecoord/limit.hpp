// SPDX-License-Identifier: Apache-2.0
//
// A limit as the venue publishes it, and the words every layer shares about permits.
//
//     ratecoord::LimitDefinition weight{.name = "weight", .kind = LimitKind::fixed,
//                                       .quota = 6000, .window = std::chrono::minutes(1)};
//
// PROMISE  Plain values. The library derives from a definition what is safe to send (G1); a
//          definition that cannot be kept is refused where it is written, naming the value.
// UNITS    quota and burst in units of the limit, windows and slack in nanoseconds.
// SHARING  Values; no call here.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ratecoord {

/// The venue's rule. Values stand in the segment: never renumber.
enum class LimitKind : std::uint8_t {
    bucket = 1,   ///< token bucket: `quota` units come back per window, at most `burst` at once
    rolling = 2,  ///< at most `quota` in any window, wherever it starts; also: kind not published
    fixed = 3,    ///< at most `quota` per window aligned to the UTC clock
    spacing = 4,  ///< at least one window between two requests
};

/// Which part of a limit a request may draw from. Values stand in the segment.
enum class Lane : std::uint8_t {
    normal = 0,
    critical = 1,  ///< cancels and closes: units are kept for them where the limit has a reserve
};

/// What a request does to positions. Values stand in the segment.
enum class Intent : std::uint8_t {
    read = 0,
    open = 1,  ///< refused while the budget is halted
    close = 2,
};

/// Why the whole host stops. Values stand in the segment.
enum class PauseKind : std::uint8_t {
    cooldown = 0,  ///< the venue said 429
    ban = 1,       ///< the venue said 418 or 403; one probe goes first when it ends
    manual = 2,    ///< a person said so
};

/// What a reply says about the request its permit sent.
enum class Outcome : std::uint8_t {
    ok = 0,
    rejected = 1,  ///< the venue understood and refused (not for rate): the address is welcome
    auth = 2,      ///< wrong key or signature: the address is welcome, the key is not
    failed = 3,    ///< 5xx, no reply, timeout: says nothing about the address
    limited = 4,   ///< 429, 418, 403: the pause itself is reported apart
};

/// One rule of a venue. See docs/man/ratectl.1.adoc for the same fields on the command line.
struct LimitDefinition {
    std::string name;  ///< 1 to 31 characters of [a-z0-9_.-]
    LimitKind kind = LimitKind::rolling;
    std::uint64_t quota = 0;             ///< units per window; 0 is refused, never "no limit"
    std::chrono::nanoseconds window{0};  ///< more than 0, at most 366 days
    std::uint64_t burst = 0;             ///< most units at once; 0 takes the default of its kind
    std::chrono::nanoseconds slack{250'000'000};  ///< at least 5 ms
    std::string per = {};               ///< empty, or what splits it ("account"); 15 characters
    std::uint32_t reserve_percent = 0;  ///< share kept for the critical lane, 0 to 90
    bool spread = false;                ///< fixed only: pace evenly inside the window
    std::uint64_t largest_cost = 1;     ///< must fit at once; raises the default burst

    bool operator==(const LimitDefinition&) const = default;
};

}  // namespace ratecoord
