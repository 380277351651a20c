// SPDX-License-Identifier: Apache-2.0
//
// The life of one worker process, from the fork to its exit code.
#pragma once

#include <string>

#include "herd/barrier.hpp"
#include "herd/options.hpp"

namespace herd {

// Attaches, reports ready, waits for the start, runs its threads. Returns the exit code: 0, or 1 if
// something broke, which is in the log at `log_path`.
int run_worker(const Options& options, unsigned worker, Barrier& barrier,
               const std::string& log_path);

}  // namespace herd
