// SPDX-License-Identifier: Apache-2.0
#include "segment/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>

namespace ratecoord::segment {
namespace {

constexpr std::string_view suffix = ".budget";
constexpr std::string_view shared_prefix = "ratecoord-";
constexpr const char* system_directory = "/run/ratecoord";
constexpr const char* shared_directory = "/dev/shm";

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string home_of(uid_t uid) {
    if (uid == ::geteuid()) {
        if (auto home = environment("HOME"); home.starts_with('/')) return home;
    }
    std::string storage(16384, '\0');
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(uid, &entry, storage.data(), storage.size(), &found) == 0 &&
        found != nullptr) {
        return found->pw_dir;
    }
    return "/";
}

std::string user_state_directory(uid_t uid) {
    if (uid == ::geteuid()) {
        if (auto state = environment("XDG_STATE_HOME"); state.starts_with('/')) {
            return state + "/ratecoord";
        }
    }
    return home_of(uid) + "/.local/state/ratecoord";
}

enum class Kind { chosen, system, shared };

struct Directory {
    Kind kind;
    std::string path;
};

Result<Directory> choose() {
    if (auto chosen = environment("RATECOORD_DIR"); !chosen.empty()) {
        if (!chosen.starts_with('/')) {
            return fail(ErrorCode::invalid_argument,
                        "RATECOORD_DIR is '" + chosen + "', which is not an absolute path");
        }
        while (chosen.size() > 1 && chosen.ends_with('/')) chosen.pop_back();
        return Directory{Kind::chosen, chosen};
    }
    struct stat status {};
    if (::stat(system_directory, &status) == 0) return Directory{Kind::system, system_directory};
    if (errno != ENOENT) {
        const int cause = errno;
        return fail(ErrorCode::permission_denied,
                    std::string(system_directory) + " cannot be used: " + std::strerror(cause),
                    "set RATECOORD_DIR to share budgets elsewhere", cause);
    }
    return Directory{Kind::shared, shared_directory};
}

Place make_place(const Directory& directory, std::string_view name, uid_t uid) {
    Place place;
    place.name = name;
    place.directory = directory.path;
    place.file = std::string(name).append(suffix);
    switch (directory.kind) {
        case Kind::chosen:
            place.state_directory = directory.path + "/state";
            break;
        case Kind::system:
            place.state_directory = "/var/lib/ratecoord";
            break;
        case Kind::shared:
            place.file = std::string(shared_prefix) + std::to_string(uid) + '-' + place.file;
            place.state_directory = user_state_directory(uid);
            break;
    }
    return place;
}

/// What a file name in `directory` stands for, if it is a budget's.
std::optional<std::pair<std::string, uid_t>> parse(const Directory& directory,
                                                   std::string_view file) {
    if (!file.ends_with(suffix)) return std::nullopt;
    file.remove_suffix(suffix.size());
    uid_t uid = ::geteuid();
    if (directory.kind == Kind::shared) {
        if (!file.starts_with(shared_prefix)) return std::nullopt;
        file.remove_prefix(shared_prefix.size());
        const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), uid);
        if (error != std::errc{} || end == file.data() + file.size() || *end != '-') {
            return std::nullopt;
        }
        file.remove_prefix(static_cast<std::size_t>(end - file.data()) + 1);
    }
    if (!name_refusal(file).empty()) return std::nullopt;
    return std::pair{std::string(file), uid};
}

Result<void> list_into(const Directory& directory, std::vector<Found>& found) {
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.path.c_str()), ::closedir);
    if (!open) {
        const int cause = errno;
        if (cause == ENOENT && directory.kind != Kind::chosen) return {};
        return fail(cause == EACCES ? ErrorCode::permission_denied : ErrorCode::system,
                    directory.path + " cannot be listed: " + std::strerror(cause), {}, cause);
    }
    while (const dirent* entry = ::readdir(open.get())) {
        const auto parsed = parse(directory, entry->d_name);
        if (!parsed) continue;
        const auto& [name, uid] = *parsed;
        if (directory.kind == Kind::shared && ::geteuid() != 0 && uid != ::geteuid()) continue;
        struct stat status {};
        if (::fstatat(::dirfd(open.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;  // removed meanwhile
        }
        found.push_back({make_place(directory, name, uid), status.st_uid});
    }
    return {};
}

}  // namespace

std::string name_refusal(std::string_view name) {
    const auto quoted = "budget name '" + std::string(name.substr(0, 64)) + "' ";
    if (name.empty()) return "a budget name cannot be empty";
    if (name.size() > name_bytes_max) {
        return "budget name of " + std::to_string(name.size()) + " bytes is longer than " +
               std::to_string(name_bytes_max);
    }
    if (!is_letter_or_digit(name.front())) return quoted + "must begin with a letter or a digit";
    const auto bad = std::find_if(name.begin(), name.end(), [](char c) {
        return !is_letter_or_digit(c) && c != '.' && c != '_' && c != '-';
    });
    if (bad == name.end()) return {};
    if (*bad == '/') return quoted + "contains a slash; it is a name, not a path";
    if (static_cast<unsigned char>(*bad) >= 0x80) {
        return "a budget name may only contain ASCII letters, digits and '.', '_', '-'";
    }
    return "budget name may only contain letters, digits and '.', '_', '-'; character " +
           std::to_string(bad - name.begin() + 1) + " is something else";
}

Result<Place> place_of(std::string_view name) {
    if (auto reason = name_refusal(name); !reason.empty()) {
        return fail(ErrorCode::invalid_argument, std::move(reason));
    }
    const auto directory = choose();
    if (!directory) return tl::unexpected(directory.error());
    return make_place(*directory, name, ::geteuid());
}

Result<std::vector<Found>> list() {
    const auto directory = choose();
    if (!directory) return tl::unexpected(directory.error());
    std::vector<Found> found;
    if (auto done = list_into(*directory, found); !done) return tl::unexpected(done.error());
    if (directory->kind == Kind::system && ::geteuid() == 0) {
        if (auto done = list_into({Kind::shared, shared_directory}, found); !done) {
            return tl::unexpected(done.error());
        }
    }
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return std::tie(a.place.name, a.uid, a.place.directory) <
               std::tie(b.place.name, b.uid, b.place.directory);
    });
    return found;
}

}  // namespace ratecoord::segment
