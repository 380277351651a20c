// SPDX-License-Identifier: Apache-2.0
//
// What processes do to a budget, and to themselves, all at once: the workers of the mixed storm.
//
// PROMISE  Every permit that a worker was given is in the ledger, but for that which it was given
//          while it was killed. A worker ends by itself once `stop` is set.
// SHARING  The ledger is in a file: workers fork, and execute this program anew.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <ratecoord/budget.hpp>

#include "support/permit_log.hpp"

namespace ratecoord::testing {

enum class Worker : std::uint8_t {
    drawer,      ///< draws without a pause
    waiter,      ///< waits for its turn
    reserver,    ///< reserves, then confirms or cancels
    filler,      ///< fills the calendar and leaves without a word
    forker,      ///< forks while attached; both go on
    spawner,     ///< forks, and the child executes another program that draws
    executor,    ///< executes another program while attached
    closer,      ///< closes every descriptor and goes on
    crowd,       ///< takes every client slot it can get
    namespaced,  ///< is process 1 of a pid namespace of its own
    master,      ///< resets, pauses and changes limits, by the library and by ratectl
};
inline constexpr std::size_t worker_kinds = 11;
const char* name_of(Worker kind) noexcept;

struct MixedLedger {
    std::atomic<int> stop;
    std::atomic<int> errors;
    std::atomic<int> first_error;
    std::atomic<std::uint64_t> calls;     ///< answered, whatever the answer
    std::atomic<std::uint64_t> units;     ///< of permits
    std::atomic<std::uint64_t> busy;      ///< calls that were told so
    std::atomic<std::uint64_t> full;      ///< times that table or calendar was found full
    std::atomic<std::uint64_t> detached;  ///< times that the budget was gone and opened again
    std::atomic<std::uint64_t> commands;  ///< what masters did
    std::array<std::atomic<std::uint64_t>, worker_kinds> lives;
    PermitLog permits;
};

/// The rule that no window may break, whatever masters change: they only make it stricter, or
/// loosen it back to this.
LimitDefinition widest_rule();
inline constexpr std::uint64_t widest_quota = 400;
inline constexpr auto rule_window = std::chrono::milliseconds(200);
inline constexpr auto rule_slack = std::chrono::milliseconds(100);
OpenOptions mixed_sizes();

/// One life of a worker; the exit status of its process.
int live(Worker kind, MixedLedger& ledger, int number, unsigned seed);

/// What an executed program does: `draws` calls, or until the storm ends.
int draw_as_program(MixedLedger& ledger, int number, int draws);
inline constexpr const char* ledger_variable = "RATECOORD_STORM_LEDGER";
inline constexpr const char* number_variable = "RATECOORD_STORM_NUMBER";
inline constexpr const char* draws_variable = "RATECOORD_STORM_DRAWS";
inline constexpr const char* program_role = "draws as an executed program";

}  // namespace ratecoord::testing
