// SPDX-License-Identifier: Apache-2.0
//
// What `ratectl profile` does; one file per action.
#pragma once

#include <string>
#include <vector>

#include <ratecoord/profile.hpp>

#include "ratectl/console.hpp"

namespace ratectl {

Done list_profiles(Console& console);
Done show_profile(const std::string& name, Console& console);
/// No names: every profile of this host.
Done check_profiles(const std::vector<std::string>& names, Console& console);
/// `format`: "exchange-info". `path`: a file, or "-".
Done import_limits(const std::string& format, const std::string& path, Console& console);

/// Loads one; `what` completes "cannot ...".
Outcome<ratecoord::Profile> load_profile(const std::string& what, const std::string& name);

}  // namespace ratectl
