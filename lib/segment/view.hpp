// SPDX-License-Identifier: Apache-2.0
//
// Looking at a segment without touching it.
//
// PROMISE  No lock, no slot, no write: an observer maps read-only and can slow nobody down.
// ERRORS   segment_corrupt for a state that fails its checks; what is for display (names, labels,
//          counters, the journal) is shown as found, cut and zero-terminated.
// SHARING  Any thread at once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <ratecoord/result.hpp>

#include "segment/definitions.hpp"
#include "segment/journal.hpp"
#include "segment/mapping.hpp"
#include "segment/published_state.hpp"
#include "segment/slots.hpp"

namespace ratecoord::segment {

/// permits, units, refused: indexed by LimitCounter.
using LimitCounts = std::array<std::uint64_t, limit_counters>;

struct ClientInfo {
    SlotId slot;
    std::string label;
    std::int32_t pid = 0;
    std::uint64_t pid_namespace = 0;
    std::uint32_t uid = 0;
    core::Instant attached_at = 0;
    bool alive = false;
    std::array<std::uint64_t, client_counters> counters{};
    std::vector<LimitCounts> limits;
};

struct KeyInfo {
    std::string dimension;
    std::string name;
    std::uint32_t generation = 0;
};

class View {
  public:
    /// `mapping` must outlive it.
    explicit View(const Mapping& mapping) noexcept;

    const Header& header() const noexcept { return mapping_->header; }
    const Geometry& geometry() const noexcept { return mapping_->geometry; }
    const core::Capacity& capacity() const noexcept { return mapping_->geometry.capacity; }
    const std::string& path() const noexcept { return mapping_->path; }
    std::string state_directory() const { return mapping_->header.state_directory.data(); }
    /// 32 hexadecimal digits.
    std::string id() const;

    StateCopy make_copy() const { return StateCopy(capacity()); }
    /// The published state as it is now, into a copy made by make_copy().
    Result<void> snapshot(StateCopy& into) const;
    /// Of a snapshot. detached never; segment_corrupt where they do not fit it and it is still the
    /// published one.
    Result<Definitions> definitions(StateCopy& snapshot) const;
    /// Clients in use, by slot; `alive` by their byte lock.
    std::vector<ClientInfo> clients() const;
    /// Who had the slot last, alive or not.
    ClientInfo client(std::uint16_t slot) const;
    /// Sums over every client, gone ones too.
    std::array<std::uint64_t, client_counters> client_totals() const noexcept;
    LimitCounts limit_totals(std::uint16_t limit) const noexcept;
    std::uint64_t counter(BudgetCounter which) const noexcept;
    KeyInfo key_name(std::uint16_t key) const;
    std::vector<JournalEntry> journal(std::size_t count) const;
    /// The sequence that the next event will have.
    std::uint64_t journal_next() const noexcept;
    /// The slot that is held through the mapping's own descriptor.
    void adopt(std::uint16_t slot) noexcept { slots_.adopt(slot); }
    /// Whether the name still means this very file.
    bool is_linked() const noexcept;

  private:
    std::byte* base() const noexcept { return mapping_->base(); }
    LimitCounts limit_counts(std::uint32_t slot, std::uint16_t limit) const noexcept;

    const Mapping* mapping_;
    PublishedState<> published_;
    Slots slots_;
};

/// A read-only attachment: for looking only.
class Observer {
  public:
    static Result<Observer> open(const Place& place);

    const View& view() const noexcept { return view_; }

  private:
    explicit Observer(std::unique_ptr<Mapping> mapping) noexcept
        : mapping_(std::move(mapping)), view_(*mapping_) {}

    std::unique_ptr<Mapping> mapping_;
    View view_;
};

}  // namespace ratecoord::segment
