// SPDX-License-Identifier: Apache-2.0
//
// A budget in plain memory, its time turned by hand: the core that every process runs, without
// segment, lock and clock.
//
// PROMISE  V3  Every permit is one that core::reserve or core::confirm gave; nothing here decides.
//          V4  Created full at instant 0, which is also the beginning of a window in UTC.
// UNITS    Nanoseconds.
// SHARING  One thread.
// ERRORS   A definition that cannot be kept: invalid_argument, with the library's sentence.
#pragma once

#include <cstdint>
#include <vector>

#include <ratecoord/limit.hpp>
#include <ratecoord/result.hpp>

#include "core/calendar.hpp"

namespace simulation {

class VirtualBudget {
  public:
    /// With room for one reservation of each of `clients` clients.
    static ratecoord::Result<VirtualBudget> create(const ratecoord::LimitDefinition& limit,
                                                   std::uint32_t clients);

    /// As acquire() without a deadline: granted, or reserved for an instant.
    ratecoord::core::Answer reserve(std::uint32_t client, std::uint32_t units,
                                    ratecoord::core::Instant now);
    ratecoord::core::Answer confirm(std::uint32_t client, std::uint64_t id,
                                    ratecoord::core::Instant now);

  private:
    VirtualBudget(const ratecoord::core::LimitRecord& record,
                  const ratecoord::core::Capacity& capacity);
    ratecoord::core::State state();

    // The State is a view of these: made anew for each call, so that a budget may be moved.
    ratecoord::core::StateHead head_{};
    std::vector<ratecoord::core::Cell> cells_;
    std::vector<ratecoord::core::Key> keys_;
    std::vector<ratecoord::core::Entry> entries_;
    ratecoord::core::Rules rules_;
    ratecoord::core::Workspace workspace_;
};

}  // namespace simulation
