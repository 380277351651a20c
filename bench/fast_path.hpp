// SPDX-License-Identifier: Apache-2.0
//
// What one call costs an uncontended process, beside the floor: two clock reads, lock, copy,
// checksum and publication of the same state, with no decision in it.
#pragma once

#include "stage.hpp"
#include "verdicts.hpp"

namespace bench {

/// Runs every benchmark, interleaved, and takes each one's best repetition: what else runs on the
/// machine can only make a call slower.
void measure_calls(Stage& stage, Verdicts& verdicts);

/// Runs this program again under strace and counts system calls between two markers.
void count_system_calls(Stage& stage, Verdicts& verdicts);

/// What that program does. `name` is a budget of three limits.
int try_between_markers(const std::string& name);

}  // namespace bench
