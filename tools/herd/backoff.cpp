// SPDX-License-Identifier: Apache-2.0
#include "herd/backoff.hpp"

#include <algorithm>

namespace herd {

std::optional<Jitter> jitter_named(std::string_view name) {
    if (name == "none") return Jitter::none;
    if (name == "full") return Jitter::full;
    if (name == "equal") return Jitter::equal;
    if (name == "decorrelated") return Jitter::decorrelated;
    return std::nullopt;
}

std::int64_t Backoff::uniform(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, std::max(least, most))(random_);
}

std::int64_t Backoff::capped_window() const {
    // Doubling that would pass the cap, or leave 64 bits, is the cap.
    if (retries_ >= 62 || rule_.base_ns > (rule_.cap_ns >> retries_)) return rule_.cap_ns;
    return rule_.base_ns << retries_;
}

std::int64_t Backoff::next_ns() {
    const std::int64_t window = capped_window();
    if (retries_ < 62) ++retries_;
    switch (rule_.jitter) {
        case Jitter::none:
            return window;
        case Jitter::full:
            return uniform(0, window);
        case Jitter::equal:
            return window / 2 + uniform(0, window / 2);
        case Jitter::decorrelated:
            break;
    }
    // previous <= cap, so three times it fits: options.cpp bounds the cap to a day.
    previous_ns_ = std::min(rule_.cap_ns, uniform(rule_.base_ns, 3 * previous_ns_));
    return previous_ns_;
}

void Backoff::restart() {
    retries_ = 0;
    previous_ns_ = rule_.base_ns;
}

}  // namespace herd
