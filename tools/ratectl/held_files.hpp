// SPDX-License-Identifier: Apache-2.0
//
// Which processes have which budget's file open: every client of a budget has.
//
// PROMISE  Reads /proc only. What may not be looked into is not counted: as root it sees all, those
//          in containers too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace ratectl {

struct FileId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    auto operator<=>(const FileId&) const = default;
};

struct ProcessFacts {
    std::string command;
    char state = '?';  ///< as in /proc/PID/stat
    bool is_stopped() const { return state == 'T' || state == 't'; }
};

struct HeldFile {
    pid_t pid = 0;
    std::string budget;  ///< empty: the file is a segment, of what name cannot be told
    std::string path;    ///< as that process sees it
    FileId id;
    std::optional<std::uint32_t> uid;  ///< in /dev/shm: whose budget it is
    bool removed = false;              ///< it has no name any more
    bool elsewhere = false;            ///< the process sees other mounts than we do: a container
};

/// Of a file name in a directory that budgets may live in; `shared` as for /dev/shm, whose files
/// carry the uid.
struct BudgetFileName {
    std::string budget;
    std::optional<std::uint32_t> uid;
};
std::optional<BudgetFileName> parse_budget_file(std::string_view file, bool shared);

/// Each process's files once, by pid.
std::vector<HeldFile> held_files();
/// Pids of those that hold a removed file, ascending; those of every budget if `name` is empty.
std::vector<pid_t> holders_of_removed_files(std::string_view name);
/// nullopt where there is no such process.
std::optional<ProcessFacts> process_facts(pid_t pid);
/// Every pid of /proc, ascending.
std::vector<pid_t> all_pids();

}  // namespace ratectl
