// SPDX-License-Identifier: Apache-2.0
//
// A budget that was just created, or would be: its size and when its first units come.
#pragma once

#include <string>

#include <ratecoord/snapshot.hpp>

#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

struct CreationReport {
    ratecoord::Snapshot snapshot;  ///< right after its creation
    bool dry_run = false;
};

std::string render_text(const CreationReport& report);
Json render_json(const CreationReport& report);

}  // namespace ratectl
