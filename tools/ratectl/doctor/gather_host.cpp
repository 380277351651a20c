// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "ratectl/doctor/gather.hpp"

namespace ratectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* system_directory = "/run/ratecoord";
constexpr const char* shared_directory = "/dev/shm";

std::string chosen_directory() {
    const char* chosen = std::getenv("RATECOORD_DIR");
    std::string path = chosen != nullptr ? chosen : "";
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
}

DirectoryFacts look_at_chosen_directory() {
    if (auto chosen = chosen_directory(); !chosen.empty()) {
        auto facts = look_at_directory(std::move(chosen));
        facts.why = "RATECOORD_DIR names it";
        return facts;
    }
    struct stat status {};
    if (::stat(system_directory, &status) == 0 || errno != ENOENT) {
        auto facts = look_at_directory(system_directory);
        facts.why = "it exists, and RATECOORD_DIR is not set";
        return facts;
    }
    auto facts = look_at_directory(shared_directory);
    facts.why = "RATECOORD_DIR is not set and /run/ratecoord does not exist";
    facts.is_private = true;
    return facts;
}

FileSystem file_system_of(const std::string& path) {
    constexpr std::array<std::uint32_t, 2> memory{0x01021994U, 0x858458f6U};  // tmpfs, ramfs
    constexpr std::array<std::uint32_t, 8> network{
        0x6969U,      // nfs
        0xff534d42U,  // cifs
        0xfe534d42U,  // smb2
        0x517bU,      // smb
        0x01021997U,  // 9p
        0x00c36400U,  // ceph
        0x47504653U,  // gpfs
        0x0bd00bd0U,  // lustre
    };
    struct statfs status {};
    if (::statfs(path.c_str(), &status) != 0) return FileSystem::other;
    const auto type = static_cast<std::uint32_t>(status.f_type);
    const auto is_one_of = [type](const auto& types) {
        return std::find(types.begin(), types.end(), type) != types.end();
    };
    if (is_one_of(memory)) return FileSystem::memory;
    return is_one_of(network) ? FileSystem::network : FileSystem::other;
}

void list_files(const std::string& directory, bool is_private, std::vector<FoundFile>& found) {
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error)) {
        const auto parsed = parse_budget_file(at->path().filename().string(), is_private);
        struct stat status {};
        if (!parsed || ::stat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
            continue;
        }
        found.push_back(
            {parsed->budget, at->path().string(), {status.st_dev, status.st_ino}, parsed->uid});
    }
}

// Where processes of this host look for budgets, whatever RATECOORD_DIR says to this one.
std::vector<FoundFile> find_files() {
    std::vector<FoundFile> found;
    if (const auto chosen = chosen_directory(); chosen.starts_with('/')) {
        list_files(chosen, false, found);
    }
    list_files(system_directory, false, found);
    list_files(shared_directory, true, found);
    return found;
}

ClockFacts read_clock() {
    struct timex clock {};
    const int state = ::adjtimex(&clock);
    if (state < 0) return {};
    return {.known = true,
            .synchronised = state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0,
            .error_most_ns = std::int64_t{clock.maxerror} * 1000,
            .keeper = {}};
}

// The kernel cuts a command to 15 bytes.
std::string find_clock_keeper() {
    constexpr std::array<std::string_view, 6> keepers{"chronyd", "ntpd",    "systemd-timesyn",
                                                      "ptp4l",   "phc2sys", "ntp-daemon"};
    for (const auto pid : all_pids()) {
        const auto process = process_facts(pid);
        if (!process) continue;
        const auto found = std::find(keepers.begin(), keepers.end(), process->command);
        if (found != keepers.end()) return process->command;
    }
    return {};
}

// The kernel's own pid namespace has this number in every kernel (PROC_PID_INIT_INO).
bool is_in_container() {
    std::error_code error;
    const auto link = fs::read_symlink("/proc/self/ns/pid", error).string();
    return !error && link != "pid:[4026531836]";
}

}  // namespace

DirectoryFacts look_at_directory(std::string path) {
    DirectoryFacts facts;
    facts.path = std::move(path);
    struct stat status {};
    if (::stat(facts.path.c_str(), &status) != 0) return facts;
    facts.exists = true;
    facts.is_directory = S_ISDIR(status.st_mode);
    facts.mode = status.st_mode & 07777U;
    facts.writable = ::access(facts.path.c_str(), W_OK | X_OK) == 0;
    facts.file_system = file_system_of(facts.path);
    struct statvfs space {};
    if (::statvfs(facts.path.c_str(), &space) == 0) {
        facts.read_only = (space.f_flag & ST_RDONLY) != 0;
        facts.free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
        if (space.f_files > 0) facts.free_files = space.f_favail;
    }
    return facts;
}

HostFacts gather_host_facts() {
    HostFacts facts;
    facts.directory = look_at_chosen_directory();
    facts.uid = ::geteuid();
    facts.in_container = is_in_container();
    facts.removes_ipc = logind_removes_ipc("/");
    facts.lingers = user_lingers("/", facts.uid);
    facts.files = find_files();
    facts.held = held_files();
    for (const auto& held : facts.held) {
        if (const auto process = process_facts(held.pid)) facts.processes[held.pid] = *process;
    }
    facts.clock = read_clock();
    if (!facts.clock.synchronised) facts.clock.keeper = find_clock_keeper();
    return facts;
}

void add_client_processes(const ratecoord::Snapshot& snapshot, HostFacts& facts) {
    for (const auto& client : snapshot.clients) {
        if (!client.alive || !client.same_pid_namespace) continue;
        if (const auto process = process_facts(client.pid)) facts.processes[client.pid] = *process;
    }
}

}  // namespace ratectl
