// SPDX-License-Identifier: Apache-2.0
//
// What doctor wants to know of this host. Gathering stands here, judging in diagnosis.hpp.
//
// PROMISE  Looks only: files are listed and read, clocks are read, nothing is opened for writing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ratectl {

/// The directory in force, by the rule of `ratectl help environment`.
struct DirectoryFacts {
    std::string path;
    std::string why;          ///< "RATECOORD_DIR names it"
    bool is_private = false;  ///< /dev/shm: budgets carry the uid in their file's name
    bool exists = false;
    bool is_directory = false;
    bool writable = false;
    std::uint32_t mode = 0;
    std::uint64_t free_bytes = 0;
};

/// A budget that more than one candidate directory has a file of.
struct DuplicateBudget {
    std::string name;
    std::vector<std::string> files;
};

struct ClockFacts {
    bool known = false;  ///< false: the kernel would not say
    bool synchronised = false;
    std::int64_t error_most_ns = 0;
};

struct HostFacts {
    DirectoryFacts directory;
    std::uint32_t uid = 0;
    /// Does logind remove what a user leaves in /dev/shm? None: it is not configured on this host.
    std::optional<bool> removes_ipc;
    std::vector<DuplicateBudget> duplicates;
    std::vector<pid_t> holders_of_removed_files;
    ClockFacts clock;
};

HostFacts gather_host_facts();

/// The last RemoveIPC= of logind's configuration texts, in the order they are read; systemd's
/// default is yes.
bool read_remove_ipc(const std::vector<std::string>& texts);

}  // namespace ratectl
