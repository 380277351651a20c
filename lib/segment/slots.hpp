// SPDX-License-Identifier: Apache-2.0
//
// Who is attached, and who died.
//
// PROMISE  C1  A slot belongs to whoever holds the write lock on its byte, an open-file-description
//              lock: the kernel frees it when the process dies, whatever its pid or namespace. A
//              stopped process keeps it. Never pids: they mean nothing across namespaces.
//          C2  A slot's generation is raised at every hand-over; reservations carry it.
//          C3  A slot that was freed or swept rests for slot_rest_ns: a process that closed its
//              descriptors without noticing checks them once a second.
//          C4  A slot in use names its client: whoever dies while claiming one leaves it free.
// STATE    One byte a slot at lock_base + slot, far past the data.
// UNITS    Nanoseconds of CLOCK_BOOTTIME.
// SHARING  Locks of one descriptor do not exclude each other: one thread of a process at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/result.hpp>

#include "core/time.hpp"
#include "segment/layout.hpp"

namespace ratecoord::segment {

inline constexpr std::int64_t slot_rest_ns = 2 * core::second_ns;
inline constexpr std::uint64_t lock_base = std::uint64_t{1} << 40;

struct SlotId {
    std::uint16_t index = core::none;
    std::uint32_t generation = 0;

    bool operator==(const SlotId&) const = default;
};

struct DeadClient {
    SlotId slot;
    std::int32_t pid = 0;
    std::string label;
};

/// Byte locks of one open file description.
class ByteLocks {
  public:
    ByteLocks() = default;
    explicit ByteLocks(int fd) noexcept : fd_(fd) {}

    bool try_lock(std::uint64_t byte) const noexcept;
    void unlock(std::uint64_t byte) const noexcept;
    /// Whether another description holds it.
    bool is_held(std::uint64_t byte) const noexcept;

  private:
    int fd_ = -1;
};

/// The byte that guards the writing of definitions.
inline constexpr std::uint64_t definitions_byte = lock_base + (std::uint64_t{1} << 20);

class Slots {
  public:
    Slots() = default;
    Slots(std::byte* base, const Geometry& geometry, int fd) noexcept
        : base_(base), geometry_(geometry), locks_(fd) {}

    /// Takes a free, rested slot, at worst a `spare` one; segment_full names how many clients live
    /// and how many slots rest.
    Result<SlotId> claim(std::string_view label, core::Instant now, std::uint64_t pid_namespace,
                         bool spare = false);
    /// The slot that only sweepers of a full table use. False while another one is at it.
    bool claim_door() const noexcept { return locks_.try_lock(lock_base + geometry_.door()); }
    void release_door() const noexcept { locks_.unlock(lock_base + geometry_.door()); }

    void release(SlotId slot, core::Instant now) noexcept;

    /// The slot held through this very descriptor: a lock never seems held to its own description,
    /// so without this word a client would find itself dead.
    void adopt(std::uint16_t slot) noexcept { own_ = slot; }

    /// Slots in use whose holder is gone.
    std::vector<std::uint16_t> dead() const;
    bool is_dead(std::uint16_t slot) const noexcept;

    /// If `slot` is dead: takes its byte, calls `lapse(SlotId)` and, where that returns true, hands
    /// the slot over. False where nobody needed sweeping or somebody else is at it.
    template <class Lapse>
    bool sweep(std::uint16_t slot, core::Instant now, Lapse&& lapse) {
        if (!is_dead(slot) || !locks_.try_lock(lock_base + slot)) return false;
        const SlotId dead{slot, generation_of(slot)};
        const bool swept = in_use(slot) && lapse(dead);
        if (swept) retire(dead, now);
        locks_.unlock(lock_base + slot);
        return swept;
    }

    ClientRecord record(std::uint16_t slot) const noexcept;

  private:
    std::byte* at(std::uint16_t slot) const noexcept {
        return base_ + geometry_.clients + std::uint64_t{slot} * sizeof(ClientRecord);
    }
    bool in_use(std::uint16_t slot) const noexcept;
    std::uint32_t generation_of(std::uint16_t slot) const noexcept;
    bool has_rested(std::uint16_t slot, core::Instant now) const noexcept;
    void retire(SlotId slot, core::Instant now) noexcept;
    void keep_counts(std::uint16_t slot) noexcept;
    tl::unexpected<Error> full(core::Instant now) const;

    std::byte* base_ = nullptr;
    Geometry geometry_;
    ByteLocks locks_;
    std::uint16_t own_ = core::none;
};

}  // namespace ratecoord::segment
