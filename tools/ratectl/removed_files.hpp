// SPDX-License-Identifier: Apache-2.0
//
// Processes that still hold the file of a budget whose name was removed (`rm`, RemoveIPC).
//
// PROMISE  Reads /proc only. What may not be looked into is not counted: as root it sees all.
#pragma once

#include <string_view>
#include <vector>

#include <sys/types.h>

namespace ratectl {

/// Their pids, ascending; those of every budget if `name` is empty.
std::vector<pid_t> holders_of_removed_files(std::string_view name);

}  // namespace ratectl
