// SPDX-License-Identifier: Apache-2.0
//
// The last events of a budget, for people.
//
// PROMISE  append() never waits. An entry that was half written, or overwritten while it was read,
//          is left out by recent(): each one carries its own checksum.
// UNITS    `at` in nanoseconds of CLOCK_BOOTTIME.
// SHARING  Any thread of any process; readers may map read-only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "segment/layout.hpp"

namespace ratecoord::segment {

/// Values stand in the segment: never renumber.
enum class Event : std::uint32_t {
    created = 1,
    attached = 2,
    pause = 3,
    ban = 4,
    probe = 5,
    resumed = 6,
    reset = 7,
    halted = 8,
    unhalted = 9,
    redefined = 10,
    recovered = 11,  ///< a dead client was swept
    lock_takeover = 12,
    outside_use = 13,
    clock_step = 14,
    slow_replies = 15,  ///< permit-to-reply times exceed the slack
    retired = 16,
    note = 17,
};

struct JournalEntry {
    std::uint64_t sequence = 0;
    core::Instant at = 0;
    Event event = Event::note;
    std::uint32_t slot = 0;
    std::string label;
    std::string text;
};

class Journal {
  public:
    static constexpr std::size_t text_bytes_max = 63;

    Journal() = default;
    Journal(std::byte* base, const Geometry& geometry) noexcept
        : base_(base), geometry_(geometry) {}

    /// Text beyond 63 bytes is cut. Needs a mapping that can be written.
    void append(core::Instant at, Event event, std::uint32_t slot, std::string_view label,
                std::string_view text) noexcept;

    /// At most `count` entries, the latest last.
    std::vector<JournalEntry> recent(std::size_t count) const;
    /// The sequence that the next entry will have.
    std::uint64_t next() const noexcept;

  private:
    std::uint64_t* next_word() const noexcept;
    std::byte* at(std::uint64_t sequence) const noexcept;

    std::byte* base_ = nullptr;
    Geometry geometry_;
};

}  // namespace ratecoord::segment
