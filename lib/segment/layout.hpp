// SPDX-License-Identifier: Apache-2.0
//
// Where everything stands in a segment's file. docs/segment-format.md says the same in prose.
//
// INVARIANTS
//   L1  Records hold fixed-width integers and characters only, little-endian, no padding.
//   L2  What processes change at the same time stands on cache lines of its own.
//   L3  Every offset follows from the capacity; none is read from the file.
//   L4  A slot's two buffers are written by the holder of the slot's byte lock and by nobody else.
//
// STATE    Header, control block, clients, counters, key names, definitions (two copies), journal,
//          then one buffer for the initial state and two for each slot. There is one slot more than
//          clients: the door, held only while somebody who found no free slot sweeps dead ones.
// UNITS    Bytes from the start of the file.
// SHARING  Values; the records are only ever accessed by words (words.hpp).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <ratecoord/result.hpp>

#include "core/definition.hpp"
#include "core/state.hpp"

namespace ratecoord::segment {

inline constexpr std::array<char, 8> magic{'r', 'a', 't', 'e', 'c', 'o', 'r', 'd'};
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint32_t byte_order_mark = 0x01020304;
inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t state_directory_bytes = 256;
inline constexpr std::uint32_t journal_entries = 256;

struct Header {
    std::array<char, 8> magic;
    std::uint32_t format_version;
    std::uint32_t byte_order;
    std::uint64_t total_bytes;
    std::uint32_t header_bytes;
    std::uint32_t clients;
    std::uint32_t reservations;
    std::uint32_t limits;
    std::uint32_t keys;
    std::uint32_t state_head_bytes;
    std::uint32_t cell_bytes;
    std::uint32_t key_bytes;
    std::uint32_t entry_bytes;
    std::uint32_t limit_record_bytes;
    std::uint32_t client_record_bytes;
    std::uint32_t key_name_bytes;
    std::uint32_t journal_record_bytes;
    std::uint32_t journal_records;
    std::uint32_t client_counters;
    std::uint32_t limit_counters;
    std::uint32_t budget_counters;
    std::uint32_t uid;
    std::uint32_t gid;
    std::uint32_t mode;
    std::array<std::uint8_t, 16> boot_id;
    std::uint64_t time_namespace;
    std::int64_t created_boot;
    std::int64_t created_utc;
    std::array<std::uint64_t, 2> segment_id;
    std::array<char, state_directory_bytes> state_directory;  ///< zero-terminated, absolute
    std::uint64_t checksum;                                   ///< of every byte before it
};

/// The words that every process changes, each alone on its line.
struct Control {
    alignas(2 * line_bytes) std::uint64_t root;   ///< {version:48, buffer:16}
    alignas(2 * line_bytes) std::uint32_t lock;   ///< {ticket:18, slot+1:13, waiters:1}
    alignas(2 * line_bytes) std::uint32_t epoch;  ///< low half of the state's epoch
    alignas(2 * line_bytes) std::uint32_t definitions_holder;  ///< slot+1 that writes them; or 0
    alignas(2 * line_bytes) std::uint64_t journal_next;        ///< sequence of the next entry
};

enum class ClientCounter : std::uint8_t {
    granted,
    refused,
    waited,
    reserved,
    cancelled,
    lapsed,
    replies,       ///< that were observed
    late_replies,  ///< after their permit's valid_until: the slack may be too small
};
inline constexpr std::size_t client_counters = 8;

enum class LimitCounter : std::uint8_t { permits, units, refused };
inline constexpr std::size_t limit_counters = 4;

enum class BudgetCounter : std::uint8_t {
    lock_takeovers,     ///< a holder that did not move lost the lock
    lost_publications,  ///< a commit was made again because root had moved
    epoch_repairs,      ///< a wake that its committer never gave
    recoveries,         ///< dead clients swept
    lapses,             ///< reservations of dead clients
    ignored_refunds,
    outside_units,
    late_hand_outs,  ///< permits that came too late to be handed out
    pauses,
    probes,
    retries,          ///< sends again that the retry budget allowed
    retries_refused,  ///< and those it did not
};
inline constexpr std::size_t budget_counters = 16;

/// Who holds a slot. For display, but for generation, in_use and freed_at, which are guarded by the
/// slot's byte lock.
struct ClientRecord {
    std::uint32_t generation;  ///< raised at every hand-over
    std::uint32_t in_use;      ///< 1 from claim to release or sweep
    std::int64_t freed_at;     ///< it rests for slot_rest_ns from then on; 0: never used
    std::int64_t attached_at;
    std::uint64_t pid_namespace;
    std::int32_t pid;
    std::uint32_t uid;
    std::array<char, 32> label;  ///< zero-terminated
    std::array<std::uint64_t, client_counters> counters;
    std::uint64_t reserved;
};

/// The name behind a key's hash; for display.
struct KeyName {
    std::array<char, 48> name;
    std::array<char, 16> dimension;
    std::uint32_t generation;
    std::uint32_t in_use;
};

/// One event. Valid if and only if its checksum is that of the bytes before it and its sequence is
/// not 0.
struct JournalRecord {
    std::uint64_t sequence;
    std::int64_t at;
    std::uint32_t kind;
    std::uint32_t slot;
    std::array<char, 32> label;
    std::array<char, 64> text;
    std::uint64_t checksum;
};

/// Before the state in each buffer.
struct BufferHead {
    std::uint64_t checksum;  ///< of version, head and the sections in use
    std::uint64_t version;   ///< of the root that published it
};

static_assert(std::endian::native == std::endian::little && sizeof(void*) == 8);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(Header) == 424 && std::is_standard_layout_v<Header>);
static_assert(std::has_unique_object_representations_v<Header>);
static_assert(offsetof(Header, boot_id) == 104 && offsetof(Header, checksum) == 416);
static_assert(sizeof(Control) == 5 * 2 * line_bytes && std::is_standard_layout_v<Control>);
static_assert(sizeof(ClientRecord) == 144 && sizeof(KeyName) == 72);
static_assert(sizeof(JournalRecord) == 128 && sizeof(BufferHead) == 16);
static_assert(std::has_unique_object_representations_v<ClientRecord>);
static_assert(std::has_unique_object_representations_v<JournalRecord>);
static_assert(std::has_unique_object_representations_v<KeyName>);
static_assert(sizeof(core::StateHead) == 208);

/// Slots beside those for clients, for who stops or removes a budget whose clients took them all.
inline constexpr std::uint32_t spare_slots = 4;

inline constexpr std::uint32_t clients_max = 2048;
inline constexpr std::uint32_t reservations_max = 16384;
inline constexpr std::uint32_t limits_max = 256;
inline constexpr std::uint32_t keys_max = 4096;
inline constexpr std::uint64_t total_bytes_max = std::uint64_t{4} << 30;

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t to) noexcept {
    return (bytes + to - 1) / to * to;
}

/// Offsets of the sections of one state, from the start of its StateHead.
struct StateOffsets {
    std::uint64_t cells = 0;
    std::uint64_t keys = 0;
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;

    static constexpr StateOffsets of(const core::Capacity& capacity) noexcept {
        StateOffsets offsets;
        offsets.cells = sizeof(core::StateHead);
        offsets.keys = offsets.cells + capacity.cells() * sizeof(core::Cell);
        offsets.entries = offsets.keys + capacity.keys * sizeof(core::Key);
        offsets.bytes = offsets.entries + capacity.reservations * sizeof(core::Entry);
        return offsets;
    }
};

/// Offsets of everything, for one capacity (L3).
struct Geometry {
    core::Capacity capacity;
    std::uint32_t slots = 0;    ///< clients, then the spare ones, then the door
    std::uint32_t buffers = 0;  ///< two a slot + the initial one, which is the last
    std::uint64_t control = 0;
    std::uint64_t clients = 0;
    std::uint64_t budget_counters = 0;
    std::uint64_t limit_counters = 0;  ///< [slot][limit][limit_counters]; the door's row: the gone
    std::uint64_t key_names = 0;
    std::array<std::uint64_t, 2> definitions{};
    std::uint64_t journal = 0;
    std::uint64_t states = 0;
    std::uint64_t buffer_bytes = 0;
    StateOffsets state;
    std::uint64_t total = 0;

    constexpr std::uint64_t definitions_bytes() const noexcept {
        return std::uint64_t{2} * capacity.limits * sizeof(core::LimitRecord);
    }
    constexpr std::uint64_t buffer(std::uint32_t index) const noexcept {
        return states + index * buffer_bytes;
    }
    /// Slots that somebody may hold: all but the door.
    constexpr std::uint32_t holders() const noexcept { return capacity.clients + spare_slots; }
    constexpr std::uint32_t door() const noexcept { return holders(); }

    static constexpr Geometry of(const core::Capacity& capacity) noexcept {
        Geometry g;
        g.capacity = capacity;
        g.slots = capacity.clients + spare_slots + 1;
        g.buffers = 2 * g.slots + 1;
        g.state = StateOffsets::of(capacity);
        g.control = round_up(sizeof(Header), 2 * line_bytes);
        g.clients = g.control + sizeof(Control);
        g.budget_counters =
            round_up(g.clients + std::uint64_t{g.slots} * sizeof(ClientRecord), line_bytes);
        g.limit_counters = g.budget_counters + segment::budget_counters * 8;
        g.key_names = g.limit_counters +
                      std::uint64_t{g.slots} * capacity.limits * segment::limit_counters * 8;
        g.definitions[0] =
            round_up(g.key_names + std::uint64_t{capacity.keys} * sizeof(KeyName), line_bytes);
        g.definitions[1] = g.definitions[0] + g.definitions_bytes();
        g.journal = round_up(g.definitions[1] + g.definitions_bytes(), line_bytes);
        g.states = round_up(g.journal + journal_entries * sizeof(JournalRecord), 4096);
        g.buffer_bytes = round_up(sizeof(BufferHead) + g.state.bytes, 2 * line_bytes);
        g.total = round_up(g.states + g.buffers * g.buffer_bytes, 4096);
        return g;
    }
};

/// Bytes that a segment of this capacity takes, all of them reserved at creation.
constexpr std::uint64_t segment_bytes(const core::Capacity& capacity) noexcept {
    return Geometry::of(capacity).total;
}

/// Why a segment of this capacity cannot be; empty if it can.
std::string refusal(const core::Capacity& capacity);

/// What of a host tells whether two processes share boot, clock and pids.
struct HostIdentity {
    std::array<std::uint8_t, 16> boot_id{};
    std::uint64_t time_namespace = 0;
    std::uint64_t pid_namespace = 0;
};

/// Reads /proc; an error where it is not mounted.
Result<HostIdentity> host_identity();

/// A header without owner, creation, id and state directory, unsealed.
Header blank_header(const Geometry& geometry) noexcept;

/// Sets the checksum.
void seal(Header& header) noexcept;

/// The geometry of the file `path` of `file_bytes` bytes whose first bytes are `header`; or the one
/// sentence that says why this process may not use it, with both values.
Result<Geometry> check_header(const Header& header, std::uint64_t file_bytes,
                              const HostIdentity& host, const std::string& path);

}  // namespace ratecoord::segment
