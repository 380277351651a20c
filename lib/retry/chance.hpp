// SPDX-License-Identifier: Apache-2.0
//
// Random bits from the kernel, each time anew.
//
// PROMISE  No state of ours: nothing to inherit over a fork, to start alike in the same second, or
//          to go back with a clock.
// ERRORS   fill_random() is false where the kernel gives none; random_bits() then mixes clock, pid
//          and address, good enough for jitter only.
// SHARING  Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ratecoord::retry {

bool fill_random(std::span<std::byte> bytes) noexcept;
std::uint64_t random_bits() noexcept;

}  // namespace ratecoord::retry
