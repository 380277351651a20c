// SPDX-License-Identifier: Apache-2.0
//
// The published state of one budget: plain records, copied whole for every commit.
//
// INVARIANTS (checked by valid(); the segment refuses a state that breaks one)
//   S1  Counts are within the capacity; every index names a record in use, or is `none`.
//   S2  Instants lie in [-far, far], windows at most twice that from them once the offset is taken
//       off; they start at multiples of their length.
//   S3  Entries stand in order of (at, id); ids are below next_id and never repeat.
//   S4  A confirmed entry is never pending.
//   S5  A cell's predecessor has no predecessor of its own.
//
// STATE    StateHead, then cells, keys and entries, each an array of which only the part in use is
//          copied. The records hold fixed-width integers only, so that processes built by
//          different compilers agree; docs/segment-format.md gives the offsets.
// UNITS    Instants in nanoseconds of CLOCK_BOOTTIME; utc ones say so.
// SHARING  Values of one process. Publication is the segment's work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/time.hpp"

namespace ratecoord::core {

inline constexpr std::uint16_t none = 0xffff;
inline constexpr std::size_t max_charges = 8;
inline constexpr std::size_t lanes = 2;
inline constexpr std::size_t cells_max = 4096;

/// Sizes of a budget, chosen at creation and never changed.
struct Capacity {
    std::uint32_t clients = 128;
    std::uint32_t reservations = 512;
    std::uint32_t limits = 32;
    std::uint32_t keys = 64;

    /// Every limit with its predecessor, and two keyed limits with theirs for each key.
    constexpr std::uint32_t cells() const noexcept { return 2 * limits + 2 * keys; }
    bool operator==(const Capacity&) const = default;
};

enum class Plan : std::uint32_t {
    fresh = 0,    ///< the calendar is as good as it can be
    advance = 1,  ///< entries from plan_cursor on may move to earlier instants
    replan = 2,   ///< pending entries must be entered anew, in order of arrival
};

enum StateFlag : std::uint32_t {
    flag_halted = 1u << 0,
    flag_shadow = 1u << 1,
    flag_retired = 1u << 2,
    flag_full_start = 1u << 3,  ///< created with --full: the operator's word
    flag_probe_required =
        1u << 4,  ///< a ban stands or stood; nothing is open until a probe succeeds
    flag_probe_confirmed = 1u << 5,  ///< the probe's holder was given its permit
};

struct StateHead {
    Instant last_instant;   ///< latest `now` any commit used; time never goes back behind it
    std::uint64_t next_id;  ///< identity and order of arrival of the next permit
    std::uint64_t epoch;    ///< raised when waiters must look again
    Instant created_at;
    Instant cold_until;           ///< g: nothing is granted before it unless created full
    std::int64_t utc_offset;      ///< CLOCK_REALTIME - CLOCK_BOOTTIME
    std::int64_t offset_stepped;  ///< its steps, added up, since all fixed windows carried over
    std::array<Instant, 3> pause_until;  ///< by PauseKind; 0 where never set
    std::uint64_t pause_generation;  ///< raised where stops are lifted; older saved ones are void
    std::int64_t saved_until;        ///< what of the stops is on disk: latest instant
    std::uint64_t stops_version;     ///< raised with every pause over 10 s, halt, and lifting
    std::uint64_t stops_saved;       ///< stops_version that is on disk
    std::uint64_t probe_id;          ///< permit that probes; 0 where none is chosen
    Instant probe_until;             ///< others are planned behind it
    Instant probe_not_before;
    std::int64_t probe_timeout;  ///< 10 s, doubling to 60 s
    Instant probe_ban;           ///< the ban it was started for
    std::uint64_t plan_cursor;   ///< id after which `advance` goes on
    std::uint64_t definitions_version;
    std::uint64_t definitions_hash;
    std::uint32_t definitions_copy;  ///< 0 or 1
    Plan plan;
    std::uint32_t flags;
    std::uint32_t strikes;          ///< bans since the last success of a probe
    std::uint32_t retry_units;      ///< host-wide retry budget
    std::uint32_t shadow_overruns;  ///< what would have been held up, in shadow mode
    std::uint16_t limits_in_use;
    std::uint16_t cells_in_use;
    std::uint16_t keys_in_use;
    std::uint16_t entries_in_use;
};

/// One lane of a cell. bucket, rolling and spacing use full_at alone; fixed uses the counts, and
/// full_at where it is paced.
struct LaneState {
    Instant full_at;     ///< when the bucket would be full if left alone
    Instant window_utc;  ///< start of the window that `used` counts
    std::uint32_t used;
    std::uint32_t previous_used;  ///< in the window before
};

/// A limit, or a limit for one key, with what was drawn from it.
struct Cell {
    std::uint16_t limit;       ///< index of its definition
    std::uint16_t key;         ///< index of its key, or none
    std::uint16_t previous;    ///< cell of the rule it replaced, while that still counts; or none
    std::uint16_t in_use;      ///< 0 free, 1 current, 2 predecessor
    std::uint32_t generation;  ///< raised when the cell is given to another key
    std::uint32_t outside;     ///< outside use that `used` contains (bucket kinds: seen in all)
    Instant opens_at;          ///< no permit before it (cold start, a new rule)
    Instant expires_at;        ///< predecessor: counts until then; else far
    Instant paced_until;       ///< fixed: spread with burst 1 until then (after a pause)
    Instant outside_utc;       ///< fixed: window whose reply named `outside`; held back in the next
    std::array<LaneState, lanes> lane;
};

/// What splits keyed limits: a 128-bit hash of the dimension and the name; the name is elsewhere.
struct Key {
    std::uint64_t hash_high;
    std::uint64_t hash_low;
    Instant pause_until;
    std::uint32_t generation;
    std::uint32_t in_use;
};

enum EntryFlag : std::uint8_t {
    entry_confirmed = 1u << 0,  ///< its permit was handed out: it never moves
    entry_pending = 1u << 1,    ///< waits to be entered anew; its instant does not count
    entry_critical = 1u << 2,
    entry_intent_shift = 4,  ///< two bits of Intent
};

/// A reservation. A charge that took the critical lane has bit n of critical_mask.
struct Entry {
    std::uint64_t id;
    Instant at;
    Instant hand_out_until;
    Instant valid_until;
    Instant deadline;
    std::uint32_t slot_generation;
    std::uint16_t slot;
    std::uint8_t flags;
    std::uint8_t charges;  ///< how many
    std::array<std::uint32_t, max_charges> units;
    std::array<std::uint16_t, max_charges> cell;  ///< bit 15: took the critical lane
};

inline constexpr std::uint16_t cell_critical_bit = 0x8000;
inline constexpr std::uint16_t cell_index_mask = 0x7fff;

static_assert(sizeof(LaneState) == 24);
static_assert(sizeof(Cell) == 96);
static_assert(sizeof(Key) == 32);
static_assert(sizeof(Entry) == 96);
static_assert(sizeof(StateHead) % 8 == 0);
static_assert(std::has_unique_object_representations_v<LaneState>);
static_assert(std::has_unique_object_representations_v<Cell>);
static_assert(std::has_unique_object_representations_v<Key>);
static_assert(std::has_unique_object_representations_v<Entry>);
static_assert(std::has_unique_object_representations_v<StateHead>);
static_assert(std::is_trivially_copyable_v<StateHead> && std::is_standard_layout_v<StateHead>);

/// A view of one working copy; spans cover the capacity, the head says how much is in use.
struct State {
    StateHead* head = nullptr;
    std::span<Cell> cell_storage;
    std::span<Key> key_storage;
    std::span<Entry> entry_storage;

    std::span<Cell> cells() const noexcept { return cell_storage.first(head->cells_in_use); }
    std::span<Key> keys() const noexcept { return key_storage.first(head->keys_in_use); }
    std::span<Entry> entries() const noexcept { return entry_storage.first(head->entries_in_use); }
    bool has(StateFlag flag) const noexcept { return (head->flags & flag) != 0; }
};

/// Whether S1 to S5 hold for bytes that came from outside. Needs the counts in the head to be
/// within the spans already.
bool valid(const State& state) noexcept;

}  // namespace ratecoord::core
