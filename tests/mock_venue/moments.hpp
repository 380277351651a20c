// SPDX-License-Identifier: Apache-2.0
//
// Instants for the mock venue's tests, counted from 2030-01-01T00:00:00Z.
#pragma once

#include <cstdint>

#include "mock-venue/venue_time.hpp"

namespace mock_venue::testing {

using namespace std::chrono_literals;

inline constexpr Instant midnight{std::chrono::seconds{1'893'456'000}};

constexpr Instant at(Nanos since_midnight) {
    return midnight + since_midnight;
}

}  // namespace mock_venue::testing
