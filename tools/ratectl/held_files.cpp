// SPDX-License-Identifier: Apache-2.0
#include "ratectl/held_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>

namespace ratectl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view deleted = " (deleted)";
constexpr const char* shared_directory = "/dev/shm";

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
    const auto [last, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failed == std::errc{} && last == text.data() + text.size() && !text.empty();
}

fs::path directory_of(pid_t pid) {
    return fs::path("/proc") / std::to_string(pid);
}

std::string file_text(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string link_text(const fs::path& path) {
    std::error_code unreadable;
    return fs::read_symlink(path, unreadable).string();
}

// The file of a creator never had a name of its own ("/dev/shm/#1234 (deleted)"); the bytes tell.
// See docs/segment-format.md.
bool begins_like_a_segment(const fs::path& file) {
    constexpr std::string_view magic = "ratecord";
    std::array<char, magic.size()> start{};
    std::ifstream stream(file, std::ios::binary);
    stream.read(start.data(), start.size());
    return stream && std::string_view(start.data(), start.size()) == magic;
}

// The name that `id` has in `directory`, as the process sees it.
std::string name_in(const fs::path& root, const std::string& directory, const FileId& id) {
    std::error_code error;
    const fs::path seen = root / fs::path(directory).relative_path();
    for (fs::directory_iterator at(seen, error), end; !error && at != end; at.increment(error)) {
        struct stat status {};
        if (!at->path().native().ends_with(".budget")) continue;
        if (::lstat(at->path().c_str(), &status) != 0) continue;
        if (FileId{status.st_dev, status.st_ino} != id) continue;
        return (fs::path(directory) / at->path().filename()).string();
    }
    return {};
}

// RATECOORD_DIR as the process was started with; empty if it was not, or may not be read.
std::string chosen_directory_of(const fs::path& process) {
    constexpr std::string_view variable = "RATECOORD_DIR=";
    std::string_view text;
    const auto environment = file_text(process / "environ");
    for (text = environment; !text.empty();) {
        const auto entry = text.substr(0, text.find('\0'));
        if (entry.starts_with(variable)) return std::string(entry.substr(variable.size()));
        text.remove_prefix(std::min(text.size(), entry.size() + 1));
    }
    return {};
}

// Where a file that was made without a name stands.
std::string find_name(const fs::path& process, const std::string& target, const FileId& id) {
    const auto beside = fs::path(target).parent_path().string();
    for (const auto& directory : {beside, chosen_directory_of(process),
                                  std::string("/run/ratecoord"), std::string(shared_directory)}) {
        if (!directory.starts_with('/')) continue;
        if (auto path = name_in(process / "root", directory, id); !path.empty()) return path;
    }
    return {};
}

std::optional<HeldFile> look_at(const fs::path& process, const fs::path& descriptor) {
    auto target = link_text(descriptor);
    const bool nameless = target.ends_with(deleted) && target.find("/#") != std::string::npos;
    if (target.ends_with(deleted)) target.resize(target.size() - deleted.size());
    if (!nameless && !target.ends_with(".budget")) return std::nullopt;
    struct stat status {};
    if (::stat(descriptor.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    if (nameless && !begins_like_a_segment(descriptor)) return std::nullopt;
    HeldFile held;
    held.id = {status.st_dev, status.st_ino};
    // "(deleted)" is the name, not the file: that one may live on under another.
    held.removed = status.st_nlink == 0;
    held.path = target;
    if (nameless && !held.removed) held.path = find_name(process, target, held.id);
    const fs::path path(held.path);
    const auto parsed =
        parse_budget_file(path.filename().string(), path.parent_path() == shared_directory);
    if (parsed) held.budget = parsed->budget;
    if (parsed) held.uid = parsed->uid;
    if (!parsed && !nameless) return std::nullopt;
    return held;
}

bool sees_other_mounts(const fs::path& process) {
    static const auto ours = link_text("/proc/self/ns/mnt");
    const auto theirs = link_text(process / "ns/mnt");
    return !theirs.empty() && theirs != ours;
}

void look_into(pid_t pid, std::vector<HeldFile>& found) {
    const auto process = directory_of(pid);
    const auto before = found.size();
    std::error_code error;
    for (fs::directory_iterator at(process / "fd", error), end; !error && at != end;
         at.increment(error)) {
        auto held = look_at(process, at->path());
        if (!held) continue;
        const bool known =
            std::any_of(found.begin() + static_cast<std::ptrdiff_t>(before), found.end(),
                        [&](const auto& each) { return each.id == held->id; });
        if (known) continue;
        held->pid = pid;
        held->elsewhere = sees_other_mounts(process);
        found.push_back(*std::move(held));
    }
}

}  // namespace

std::optional<BudgetFileName> parse_budget_file(std::string_view file, bool shared) {
    constexpr std::string_view ending = ".budget";
    constexpr std::string_view beginning = "ratecoord-";
    if (!file.ends_with(ending) || file.size() == ending.size()) return std::nullopt;
    file.remove_suffix(ending.size());
    if (!shared) return BudgetFileName{std::string(file), std::nullopt};
    if (!file.starts_with(beginning)) return std::nullopt;
    file.remove_prefix(beginning.size());
    const auto dash = file.find('-');
    std::uint32_t uid = 0;
    if (dash == std::string_view::npos || dash + 1 == file.size()) return std::nullopt;
    if (!parse_whole(file.substr(0, dash), uid)) return std::nullopt;
    return BudgetFileName{std::string(file.substr(dash + 1)), uid};
}

std::vector<pid_t> all_pids() {
    std::vector<pid_t> pids;
    std::error_code error;
    for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
        pid_t pid = 0;
        if (parse_whole(at->path().filename().string(), pid)) pids.push_back(pid);
    }
    std::sort(pids.begin(), pids.end());
    return pids;
}

std::vector<HeldFile> held_files() {
    std::vector<HeldFile> found;
    for (const auto pid : all_pids()) look_into(pid, found);
    return found;
}

std::vector<pid_t> holders_of_removed_files(std::string_view name) {
    std::vector<pid_t> pids;
    for (const auto& held : held_files()) {
        if (!held.removed || (!name.empty() && held.budget != name)) continue;
        if (pids.empty() || pids.back() != held.pid) pids.push_back(held.pid);
    }
    return pids;
}

std::optional<ProcessFacts> process_facts(pid_t pid) {
    // "PID (command) STATE ...": the command may hold blanks and parentheses.
    const auto text = file_text(directory_of(pid) / "stat");
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close + 2 >= text.size()) {
        return std::nullopt;
    }
    return ProcessFacts{text.substr(open + 1, close - open - 1), text[close + 2]};
}

}  // namespace ratectl
