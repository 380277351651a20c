// SPDX-License-Identifier: Apache-2.0
//
// Many processes that draw from one budget, or one locked file, as fast as they can.
#pragma once

#include <cstddef>
#include <string>

#include "crew.hpp"
#include "stage.hpp"

namespace bench {

struct Throughput {
    double per_second = 0;
    double poorest = 0;  ///< what the poorest worker got, as a part of its fair share
};

inline constexpr const char* budget_role = "budget";
inline constexpr const char* file_role = "file";

/// `what` is a budget's name or a file's path.
Throughput measure(const std::string& role, const std::string& what, std::size_t processes,
                   std::chrono::milliseconds time);

/// What a worker of either role does.
void draw(const Worker& worker);

}  // namespace bench
