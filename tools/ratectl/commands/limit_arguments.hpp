// SPDX-License-Identifier: Apache-2.0
//
// --limit, given as often as there are limits.
#pragma once

#include <string>
#include <vector>

#include <ratecoord/limit.hpp>
#include <ratecoord/snapshot.hpp>

#include "ratectl/command.hpp"

namespace ratectl {

void declare_limits(Parameters& parameters, std::vector<std::string>& texts);

/// At least one. Fields that a text leaves out keep their value where `in_force` has the limit.
Outcome<std::vector<ratecoord::LimitDefinition>> read_limits(
    const std::string& what, const std::vector<std::string>& texts,
    const ratecoord::Snapshot* in_force = nullptr);

}  // namespace ratectl
