// SPDX-License-Identifier: Apache-2.0
//
// The coordinatord that looks after the directory of the budgets.
//
// PROMISE  C1  The pid is the kernel's answer about the lock on coordinatord.lock, asked anew at each
//              look, so that no signal reaches a process that took the pid over.
//          C2  No lock is taken: a daemon that starts at the same time is never kept from it.
// ERRORS   Failures; exit no_such_budget where there is no daemon.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "ratectl/failure.hpp"

namespace ratectl {

struct DaemonContact {
    std::string directory;
    pid_t pid = 0;
    std::uint64_t reloads = 0;  ///< that it has tried
    std::string problem;        ///< of the last; empty: it worked
};

Outcome<DaemonContact> find_daemon(const std::string& what);

}  // namespace ratectl
