// SPDX-License-Identifier: Apache-2.0
//
// `journal --follow`: events as they come, until somebody ends it.
#pragma once

#include <cstddef>
#include <string>

#include "ratectl/console.hpp"
#include "ratectl/failure.hpp"

namespace ratectl {

/// Looks read-only, a few times a second. Goes on when the budget is destroyed, and when it is made
/// anew, and says so. A Failure only if the budget cannot be read at the beginning.
Done follow_journal(const std::string& name, std::size_t last, Console& console);

}  // namespace ratectl
