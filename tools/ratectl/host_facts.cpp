// SPDX-License-Identifier: Apache-2.0
#include "ratectl/host_facts.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>

#include "ratectl/removed_files.hpp"

namespace ratectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* system_directory = "/run/ratecoord";
constexpr const char* shared_directory = "/dev/shm";

std::string chosen_directory() {
    const char* chosen = std::getenv("RATECOORD_DIR");
    return chosen != nullptr ? chosen : "";
}

bool exists(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0;
}

DirectoryFacts choose_directory() {
    DirectoryFacts facts;
    if (auto chosen = chosen_directory(); !chosen.empty()) {
        facts.path = std::move(chosen);
        facts.why = "RATECOORD_DIR names it";
    } else if (exists(system_directory)) {
        facts.path = system_directory;
        facts.why = "it exists, and RATECOORD_DIR is not set";
    } else {
        facts.path = shared_directory;
        facts.why = "RATECOORD_DIR is not set and /run/ratecoord does not exist";
        facts.is_private = true;
    }
    return facts;
}

void look_at(DirectoryFacts& facts) {
    struct stat status {};
    if (::stat(facts.path.c_str(), &status) != 0) return;
    facts.exists = true;
    facts.is_directory = S_ISDIR(status.st_mode);
    facts.mode = status.st_mode & 07777U;
    facts.writable = ::access(facts.path.c_str(), W_OK | X_OK) == 0;
    struct statvfs space {};
    if (::statvfs(facts.path.c_str(), &space) == 0) {
        facts.free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
    }
}

// The budget that a file of `directory` belongs to; empty if it is none of ours.
std::string budget_of(std::string file, bool is_private) {
    constexpr std::string_view ending = ".budget";
    if (!file.ends_with(ending)) return {};
    file.resize(file.size() - ending.size());
    if (!is_private) return file;
    const auto prefix = "ratecoord-" + std::to_string(::geteuid()) + "-";
    return file.starts_with(prefix) ? file.substr(prefix.size()) : std::string();
}

std::vector<DuplicateBudget> find_duplicates() {
    std::map<std::string, std::vector<std::string>> files;
    const std::array<std::pair<std::string, bool>, 3> candidates{
        {{chosen_directory(), false}, {system_directory, false}, {shared_directory, true}}};
    for (const auto& [directory, is_private] : candidates) {
        std::error_code error;
        if (directory.empty()) continue;
        for (fs::directory_iterator at(directory, error), end; !error && at != end;
             at.increment(error)) {
            const auto name = budget_of(at->path().filename().string(), is_private);
            if (!name.empty()) files[name].push_back(at->path().string());
        }
    }
    std::vector<DuplicateBudget> duplicates;
    for (auto& [name, paths] : files) {
        if (paths.size() > 1) duplicates.push_back({name, std::move(paths)});
    }
    return duplicates;
}

std::string read_file(const fs::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::optional<bool> logind_removes_ipc() {
    std::vector<fs::path> files;
    std::error_code error;
    if (fs::exists("/etc/systemd/logind.conf", error)) files.push_back("/etc/systemd/logind.conf");
    std::vector<fs::path> extra;
    for (fs::directory_iterator at("/etc/systemd/logind.conf.d", error), end; !error && at != end;
         at.increment(error)) {
        if (at->path().extension() == ".conf") extra.push_back(at->path());
    }
    std::sort(extra.begin(), extra.end());
    files.insert(files.end(), extra.begin(), extra.end());
    if (files.empty()) return std::nullopt;
    std::vector<std::string> texts;
    for (const auto& file : files) texts.push_back(read_file(file));
    return read_remove_ipc(texts);
}

ClockFacts read_clock() {
    struct timex clock {};
    const int state = ::adjtimex(&clock);
    if (state < 0) return {};
    return {.known = true,
            .synchronised = state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0,
            .error_most_ns = std::int64_t{clock.maxerror} * 1000};
}

}  // namespace

bool read_remove_ipc(const std::vector<std::string>& texts) {
    bool removes = true;
    for (const auto& text : texts) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            line.erase(std::remove(line.begin(), line.end(), ' '), line.end());
            constexpr std::string_view name = "RemoveIPC=";
            if (!line.starts_with(name)) continue;
            const auto value = line.substr(name.size());
            removes = value == "yes" || value == "true" || value == "1" || value == "on";
        }
    }
    return removes;
}

HostFacts gather_host_facts() {
    HostFacts facts;
    facts.directory = choose_directory();
    look_at(facts.directory);
    facts.uid = ::geteuid();
    facts.removes_ipc = logind_removes_ipc();
    facts.duplicates = find_duplicates();
    facts.holders_of_removed_files = holders_of_removed_files("");
    facts.clock = read_clock();
    return facts;
}

}  // namespace ratectl
