// SPDX-License-Identifier: Apache-2.0
#include "ratectl/removed_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace ratectl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view deleted = " (deleted)";
constexpr std::string_view ending = ".budget (deleted)";

// "/dev/shm/ratecoord-0-NAME.budget (deleted)" or "DIRECTORY/NAME.budget (deleted)".
bool is_removed_file_of(std::string_view target, std::string_view name) {
    if (!target.ends_with(ending)) return false;
    if (name.empty()) return true;
    target.remove_suffix(ending.size());
    if (!target.ends_with(name) || target.size() == name.size()) return false;
    const char before = target[target.size() - name.size() - 1];
    return before == '/' || before == '-';
}

// A creator's own descriptor never had a name ("/dev/shm/#1234 (deleted)"); the bytes tell. See
// docs/segment-format.md.
bool begins_like_a_segment(const fs::path& file) {
    constexpr std::string_view magic = "ratecord";
    std::array<char, magic.size()> start{};
    std::ifstream stream(file, std::ios::binary);
    stream.read(start.data(), start.size());
    return stream && std::string_view(start.data(), start.size()) == magic;
}

bool is_removed_segment(const fs::path& descriptor, const std::string& target,
                        std::string_view name) {
    if (is_removed_file_of(target, name)) return true;
    const bool nameless = target.ends_with(deleted) && target.find("/#") != std::string::npos;
    return name.empty() && nameless && begins_like_a_segment(descriptor);
}

bool holds_one(const fs::path& process, std::string_view name) {
    std::error_code error;
    for (fs::directory_iterator at(process / "fd", error), end; !error && at != end;
         at.increment(error)) {
        std::error_code unreadable;
        const auto target = fs::read_symlink(at->path(), unreadable).string();
        if (unreadable || !target.ends_with(deleted)) continue;
        // "(deleted)" is the name, not the file: that one may live on under another.
        if (fs::hard_link_count(at->path(), unreadable) != 0 || unreadable) continue;
        if (is_removed_segment(at->path(), target, name)) return true;
    }
    return false;
}

}  // namespace

std::vector<pid_t> holders_of_removed_files(std::string_view name) {
    std::vector<pid_t> pids;
    std::error_code error;
    for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
        const auto text = at->path().filename().string();
        pid_t pid = 0;
        const auto [last, failed] = std::from_chars(text.data(), text.data() + text.size(), pid);
        if (failed != std::errc{} || last != text.data() + text.size()) continue;
        if (holds_one(at->path(), name)) pids.push_back(pid);
    }
    std::sort(pids.begin(), pids.end());
    return pids;
}

}  // namespace ratectl
