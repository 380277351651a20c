// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/place.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "segment/directory.hpp"

namespace coordinatord {
namespace {

using ratecoord::ErrorCode;
using ratecoord::fail;
using ratecoord::Result;

constexpr const char* usual_directory = "/run/ratecoord";

Result<void> could_not(const std::string& what, const std::string& path, int error) {
    return fail(
        error == EACCES || error == EPERM ? ErrorCode::permission_denied : ErrorCode::system,
        path + " cannot be " + what + ": " + std::strerror(error),
        "make it by hand, or run coordinatord as its owner", error);
}

/// Group members may make files in it; the sticky bit keeps them from removing each other's.
Result<void> share_with(const std::string& path, const std::string& group) {
    const struct group* const entry = ::getgrnam(group.c_str());
    if (entry == nullptr) {
        return fail(ErrorCode::invalid_argument, "there is no group '" + group + "'",
                    "add it with 'groupadd --system " + group + "'");
    }
    if (::chown(path.c_str(), static_cast<uid_t>(-1), entry->gr_gid) != 0 ||
        ::chmod(path.c_str(), 03770) != 0) {
        return could_not("given to group '" + group + "'", path, errno);
    }
    return {};
}

Result<void> make(const std::string& path, const std::string& group) {
    if (::mkdir(path.c_str(), 0700) != 0) {
        if (errno == EEXIST) return {};
        return could_not("made", path, errno);
    }
    return group.empty() ? Result<void>() : share_with(path, group);
}

}  // namespace

Result<std::string> prepare_place(const Config& config) {
    const bool is_free = std::getenv("RATECOORD_DIR") == nullptr;
    if (!config.directory.empty()) {
        if (auto made = make(config.directory, config.group); !made) {
            return tl::unexpected(made.error());
        }
        // Where it is the usual one the state lies in /var/lib, which RATECOORD_DIR would change.
        if (config.directory != usual_directory) {
            ::setenv("RATECOORD_DIR", config.directory.c_str(), 1);
        } else {
            ::unsetenv("RATECOORD_DIR");
        }
    } else if (is_free && ::geteuid() == 0) {
        if (auto made = make(usual_directory, config.group); !made) {
            return tl::unexpected(made.error());
        }
    }
    auto place = ratecoord::segment::place_of("any");
    if (!place) return tl::unexpected(place.error());
    return place->directory;
}

}  // namespace coordinatord
