// SPDX-License-Identifier: Apache-2.0
//
// What a budget looks like at one instant: plain structs that text, JSON and metrics render.
//
// PROMISE  Taken without lock or slot: looking never slows a permit down. Decisive values come from
//          one published state; names, labels and counters stand beside it and may be a moment off.
// UNITS    Instants in nanoseconds of CLOCK_BOOTTIME; durations in nanoseconds; units of the limit.
//          An instant of 0 means never.
// SHARING  Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ratecoord/limit.hpp>

namespace ratecoord {

/// One lane of a limit, or of a limit for one key.
struct LaneSnapshot {
    Lane lane = Lane::normal;
    std::uint64_t available = 0;  ///< units it would grant now
    std::uint64_t most = 0;       ///< units it can grant at once when full
    std::uint64_t used = 0;       ///< fixed: in the window that runs; bucket kinds: owed
    std::int64_t next_in_ns = 0;  ///< until one unit may go, those in the calendar before it
};

struct CellSnapshot {
    std::string key;                  ///< empty where the limit is not keyed
    std::vector<LaneSnapshot> lanes;  ///< normal, then critical where there is a reserve
    std::uint64_t outside = 0;        ///< units the venue counted that no client here drew
    std::int64_t outside_from = 0;    ///< fixed: start of the window whose outside use that is
    std::uint64_t waiting = 0;        ///< reservations that draw from it
    std::uint64_t waiting_units = 0;
    std::int64_t paused_until = 0;  ///< pause of the key
    std::int64_t paced_until = 0;   ///< fixed, after a pause
    std::int64_t opens_at = 0;      ///< cold start
    bool has_predecessor = false;
    std::int64_t predecessor_until = 0;
    bool unverified = false;  ///< long window that started without saved state
};

/// What one client drew from one limit.
struct DrawnSnapshot {
    std::uint32_t slot = 0;
    std::string label;
    std::int32_t pid = 0;
    std::uint64_t permits = 0;
    std::uint64_t units = 0;
    std::uint32_t generation = 0;  ///< of the slot: no two clients of a segment share both
};

struct LimitSnapshot {
    LimitDefinition definition;
    std::uint64_t sustained_per_second_milli = 0;  ///< thousandths of a unit a second
    std::vector<CellSnapshot> cells;
    std::uint64_t granted_permits = 0;
    std::uint64_t granted_units = 0;
    std::uint64_t refused = 0;
    std::vector<DrawnSnapshot> drawn_by;  ///< most units first
};

struct ClientSnapshot {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::string label;
    std::int32_t pid = 0;
    std::uint32_t uid = 0;
    bool alive = true;
    bool same_pid_namespace = true;
    std::int64_t attached_at = 0;
    std::uint64_t granted = 0;
    std::uint64_t refused = 0;
    std::uint64_t waited = 0;
    std::uint64_t reserved = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t lapsed = 0;
    std::uint64_t replies = 0;       ///< observed
    std::uint64_t late_replies = 0;  ///< after their permit's valid_until; over 1 %: more slack
    std::uint64_t waiting = 0;       ///< its reservations that stand now
    std::int64_t oldest_wait_until = 0;
};

struct ReservationSnapshot {
    std::uint64_t id = 0;
    std::string label;
    std::int64_t at = 0;
    std::int64_t deadline = 0;
    Lane lane = Lane::normal;
    Intent intent = Intent::open;
    bool confirmed = false;
    bool pending = false;
    std::vector<std::pair<std::string, std::uint64_t>> cost;
};

struct JournalEntry {
    std::uint64_t sequence = 0;
    std::int64_t at = 0;
    std::string kind;
    std::string label;
    std::string text;
};

/// A piece of the journal, for who follows it. What stands in it may have gaps: entries that were
/// overwritten, and ones still being written.
struct JournalPage {
    std::string segment_id;       ///< another one: the budget was made anew, and counts from 1
    std::uint64_t oldest = 1;     ///< entries before it are overwritten
    std::uint64_t next = 1;       ///< the sequence that the next event will have
    std::int64_t utc_offset = 0;  ///< `at` plus this is the wall clock's time, as it is set now
    std::vector<JournalEntry> entries;
};

/// Attention first: the order operators want to see budgets in.
enum class BudgetState : std::uint8_t { banned, paused, halted, probing, cold, empty, busy, idle };
const char* name_of(BudgetState state) noexcept;

struct CapacitySnapshot {
    std::uint32_t clients = 0;
    std::uint32_t reservations = 0;
    std::uint32_t limits = 0;
    std::uint32_t keys = 0;
    std::uint64_t bytes = 0;
};

struct Snapshot {
    std::string name;
    std::string path;
    std::string state_directory;  ///< where its stops are saved, as recorded at its creation
    std::string segment_id;
    std::uint64_t version = 0;  ///< commits so far
    std::int64_t now = 0;
    std::int64_t utc_offset = 0;  ///< add to an instant for UTC
    BudgetState state = BudgetState::idle;
    std::int64_t created_at = 0;
    std::int64_t cold_until = 0;
    bool full_start = false;
    bool shadow = false;
    bool halted = false;
    bool retired = false;
    std::array<std::int64_t, 3> pause_until{};  ///< by PauseKind
    bool probe_required = false;
    std::uint64_t probe_id = 0;
    std::int64_t probe_until = 0;
    std::uint32_t strikes = 0;
    bool stops_saved = true;  ///< false: pauses or a halt are not on disk yet
    std::uint32_t shadow_overruns = 0;
    std::uint32_t retry_units = 0;  ///< left in the host-wide retry budget, of retry_units::full
    CapacitySnapshot capacity;
    std::vector<LimitSnapshot> limits;
    std::vector<ClientSnapshot> clients;
    std::vector<ReservationSnapshot> reservations;
    std::vector<std::pair<std::string, std::uint64_t>> counters;  ///< budget-wide, by name
};

}  // namespace ratecoord
