// SPDX-License-Identifier: Apache-2.0
#include "simulation/backoff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace simulation {

namespace {

constexpr int exponent_most = 60;

constexpr std::array<std::pair<std::string_view, Jitter>, 4> names{
    {{"none", Jitter::none},
     {"full", Jitter::full},
     {"equal", Jitter::equal},
     {"decorrelated", Jitter::decorrelated}}};

}  // namespace

std::optional<Jitter> jitter_named(std::string_view name) {
    for (const auto& [known, jitter] : names) {
        if (known == name) return jitter;
    }
    return std::nullopt;
}

std::string_view name_of(Jitter jitter) noexcept {
    return names[static_cast<std::size_t>(jitter)].first;
}

double Backoff::next(const BackoffRule& rule, PythonRandom& random) {
    const double window =
        std::min(rule.cap, std::ldexp(rule.base, std::min(retries_, exponent_most)));
    if (retries_ < exponent_most) ++retries_;
    switch (rule.jitter) {
        case Jitter::none:
            return window;
        case Jitter::full:
            return random.uniform(0, window);
        case Jitter::equal:
            return window / 2 + random.uniform(0, window / 2);
        case Jitter::decorrelated:
            break;
    }
    last_ = std::min(rule.cap, random.uniform(rule.base, last_ * 3));
    return last_;
}

}  // namespace simulation
