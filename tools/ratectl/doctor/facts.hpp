// SPDX-License-Identifier: Apache-2.0
//
// What the doctor knows of this host and its budgets: plain values, so that a test can make them
// up.
//
// UNITS    Instants and durations in nanoseconds, sizes in bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ratecoord/budget.hpp>

#include "ratectl/held_files.hpp"

namespace ratectl {

enum class FileSystem {
    memory,   ///< tmpfs, ramfs
    network,  ///< nfs, cifs, ...: other hosts see the file, and not the memory behind it
    other,
};

/// A directory that budgets or stops live in, or would.
struct DirectoryFacts {
    std::string path;
    std::string why;          ///< "RATECOORD_DIR names it"
    bool is_private = false;  ///< /dev/shm: budgets carry the uid in their file's name
    bool exists = false;
    bool is_directory = false;
    bool writable = false;
    bool read_only = false;  ///< the file system is
    FileSystem file_system = FileSystem::memory;
    std::uint32_t mode = 0;
    std::uint64_t free_bytes = 0;
    std::optional<std::uint64_t> free_files;  ///< none: it does not count them
};

/// A file with a budget's name, in one of the directories that processes may choose.
struct FoundFile {
    std::string budget;
    std::string path;
    FileId id;
    std::optional<std::uint32_t> uid;  ///< in /dev/shm: whose budget it is
};

struct ClockFacts {
    bool known = false;  ///< false: the kernel would not say
    bool synchronised = false;
    std::int64_t error_most_ns = 0;
    std::string
        keeper;  ///< a running program that keeps clocks right ("chronyd"); empty: none seen
};

struct HostFacts {
    DirectoryFacts directory;
    std::string listing_problem;  ///< why the budgets in it cannot be listed; empty: they can
    std::uint32_t uid = 0;
    bool in_container = false;  ///< its own pid namespace: what runs on the host is not seen
    /// Does logind remove what a user leaves in /dev/shm? None: no logind on this host.
    std::optional<bool> removes_ipc;
    bool lingers = false;  ///< logind never counts this user as logged out
    std::vector<FoundFile> files;
    std::vector<HeldFile> held;
    std::map<pid_t, ProcessFacts> processes;  ///< those that hold a budget or are its clients
    ClockFacts clock;
};

struct BudgetFacts {
    ratecoord::Snapshot snapshot;
    FileId file;
    std::int64_t utc_offset_now = 0;  ///< what the host's clocks say; compare snapshot.utc_offset
    std::optional<ratecoord::SavedStops> stops;
    DirectoryFacts state_directory;            ///< or its nearest parent that exists
    std::optional<std::int64_t> overtaken_at;  ///< last time, as far as the journal goes back
    std::string overtaken;                     ///< what the journal says of it
};

/// A budget that cannot be read.
struct UnreadableBudget {
    std::string name;
    std::string path;
    ratecoord::Error error;
    bool is_file = true;  ///< false: a directory, a link, a pipe
};

}  // namespace ratectl
