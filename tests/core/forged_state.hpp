// SPDX-License-Identifier: Apache-2.0
//
// States as nobody would write them: random bytes, in the shape that valid() asks for.
#pragma once

#include <random>

#include "core/scratch_budget.hpp"

namespace core_test {

using Random = std::mt19937_64;

inline std::uint64_t below(Random& random, std::uint64_t n) {
    return random() % n;
}

Instant any_instant(Random& random);
std::uint32_t any_units(Random& random);
/// Any definition that can be kept.
LimitRecord any_record(Random& random);
/// Overwrites everything but the definitions.
void forge(Random& random, State& state, std::size_t limits);

}  // namespace core_test
