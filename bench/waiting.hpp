// SPDX-License-Identifier: Apache-2.0
//
// How late a waiter wakes, and how soon all of them know of a pause.
#pragma once

#include "crew.hpp"
#include "stage.hpp"
#include "verdicts.hpp"

namespace bench {

/// acquire() beside bare clock_nanosleep, in turn.
void measure_lateness(Stage& stage, Verdicts& verdicts);

struct Audience {
    std::size_t processes;
    std::size_t threads;  ///< in each; each thread has one reservation
    std::uint32_t reservations;
    int pauses;
};
/// From the call of pause() to the last waiter that has read its new instant, in milliseconds.
std::vector<double> measure_pauses(Stage& stage, const Audience& audience);

/// What a worker of that audience does.
void wait_for_pauses(const Worker& worker);

}  // namespace bench
