// SPDX-License-Identifier: Apache-2.0
//
// Counts every allocation of this program.
#pragma once

#include <cstdint>

namespace bench {

/// Calls of operator new so far, by any thread.
std::uint64_t allocations() noexcept;

}  // namespace bench
