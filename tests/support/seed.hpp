// SPDX-License-Identifier: Apache-2.0
//
// Where seeded tests get their seed: the same in every run, so that a run tells of the change and not
// of the dice; RATECOORD_SEED names another, and is `random` in the nightly runs. Tests print it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace ratecoord::testing {

inline std::uint32_t seed() {
    const char* const wanted = std::getenv("RATECOORD_SEED");
    if (wanted == nullptr || *wanted == '\0') return 20'261'205;
    if (std::string(wanted) == "random") return std::random_device{}() >> 1;
    return static_cast<std::uint32_t>(std::stoul(wanted));
}

}  // namespace ratecoord::testing
