// SPDX-License-Identifier: Apache-2.0
//
// A profile in full. The report is the library's model; here are its two renderings.
#pragma once

#include <string>

#include <ratecoord/profile.hpp>

#include "ratectl/console.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

std::string render_text(const ratecoord::Profile& profile, const Console& console);
Json render_json(const ratecoord::Profile& profile);

}  // namespace ratectl
