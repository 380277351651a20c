// SPDX-License-Identifier: Apache-2.0
//
// One budget in full. The report is the library's Snapshot; here are its two renderings.
#pragma once

#include <string>
#include <string_view>

#include <ratecoord/snapshot.hpp>

#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

/// All limits, or the one named.
std::string render_text(const ratecoord::Snapshot& snapshot, std::string_view limit,
                        const Console& console);
Json render_json(const ratecoord::Snapshot& snapshot, std::string_view limit);

}  // namespace ratectl
