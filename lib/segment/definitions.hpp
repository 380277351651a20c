// SPDX-License-Identifier: Apache-2.0
//
// The limits as they stand in a segment: two copies, of which the published state names one.
//
// PROMISE  A copy counts only if its hash is the state's and every record is valid; it is then
//          compiled once per version. The other copy is written under a lock of its own, so that a
//          writer that dies half way leaves what counts untouched.
// SHARING  read and compile by any number of processes; writing under definitions_byte.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/rule.hpp"
#include "segment/layout.hpp"

namespace ratecoord::segment {

/// Records by index of their limit. previous[i] has in_use 0 where limit i replaced nothing that
/// still counts.
struct Definitions {
    std::vector<core::LimitRecord> current;
    std::vector<core::LimitRecord> previous;
};

/// Reads the copy that `head` names; `into` holds at least 2 * limits records and keeps them.
/// False where they are not what `head` says.
bool read_definitions(const std::byte* base, const Geometry& geometry, const core::StateHead& head,
                      std::span<core::LimitRecord> into) noexcept;

/// Needs what read_definitions or the caller's own check found valid. Allocates only where `rules`
/// never had room for as many limits.
void compile_into(core::Rules& rules, std::span<const core::LimitRecord> current,
                  std::span<const core::LimitRecord> previous);

/// Writes the copy `copy` and returns its hash.
std::uint64_t write_definitions(std::byte* base, const Geometry& geometry, std::uint32_t copy,
                                const Definitions& definitions);

/// Why these definitions cannot stand in a segment of that geometry; empty if they can.
std::string refusal(const Definitions& definitions, const Geometry& geometry);

}  // namespace ratecoord::segment
