// SPDX-License-Identifier: Apache-2.0
//
// A limit's definition as it stands in the segment, and whether it can be kept at all.
//
// PROMISE  to_record refuses what no state could honour (zero quota, a window of 0 or beyond a
//          year, slack that leaves no window, a burst above the quota, a reserve that starves a
//          lane), naming the value; a record that passed needs no further check.
// STATE    LimitRecord is read by processes of different builds: fixed widths, no padding.
// UNITS    Nanoseconds, units of the limit.
// ERRORS   A DefinitionError with one sentence.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include <ratecoord/limit.hpp>

#include "core/time.hpp"

namespace ratecoord::core {

struct LimitRecord {
    std::array<char, 32> name;  ///< zero-terminated
    std::array<char, 16> per;   ///< zero-terminated; empty: not keyed
    std::uint64_t quota;
    std::int64_t window_ns;
    std::uint64_t burst;  ///< never 0: defaults are resolved
    std::int64_t slack_ns;
    std::uint64_t largest_cost;
    std::uint32_t reserve_percent;
    std::uint8_t kind;  ///< LimitKind
    std::uint8_t spread;
    std::uint16_t in_use;

    bool operator==(const LimitRecord&) const = default;
};
static_assert(sizeof(LimitRecord) == 96);
static_assert(std::has_unique_object_representations_v<LimitRecord>);

struct DefinitionError {
    std::string message;  ///< "weight: quota is 0; a limit needs at least 1 unit a window"
};

/// The record of `definition`, defaults resolved; or why it cannot be kept.
std::variant<LimitRecord, DefinitionError> to_record(const LimitDefinition& definition);

/// Whether a record read from a segment could have come from to_record.
bool valid(const LimitRecord& record) noexcept;

LimitDefinition to_definition(const LimitRecord& record);

}  // namespace ratecoord::core
