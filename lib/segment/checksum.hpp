// SPDX-License-Identifier: Apache-2.0
//
// XXH3, 64 bits: finds accidents (a wild write, a program that closed every descriptor and went
// on), not attackers. That is why values are checked for meaning as well.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/state.hpp"

namespace ratecoord::segment {

std::uint64_t checksum(const void* bytes, std::size_t size) noexcept;

/// Of the version, the head and the sections in use. Needs counts within the spans.
std::uint64_t checksum(const core::State& state, std::uint64_t version) noexcept;

}  // namespace ratecoord::segment
