// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/interprocess/exceptions.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "segment/file_handle.hpp"
#include "segment/mapping.hpp"
#include "segment/words.hpp"

namespace ratecoord::segment {
namespace {

namespace interprocess = boost::interprocess;

std::string octal(mode_t mode) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
    return text.data();
}

tl::unexpected<Error> denied(const std::string& path, const std::string& what, int cause = 0) {
    return fail(ErrorCode::permission_denied, path + ' ' + what,
                "run as its owner, or have it created for a group you are in", cause);
}

tl::unexpected<Error> open_failure(const std::string& path, int cause) {
    switch (cause) {
        case ENOENT:
            return fail(ErrorCode::no_such_budget, path + " does not exist",
                        "create it, or check RATECOORD_DIR", cause);
        case ELOOP:
            return fail(ErrorCode::segment_corrupt,
                        path + " is a symbolic link; a segment is a regular file", {}, cause);
        case EISDIR:
            return fail(ErrorCode::segment_corrupt,
                        path + " is a directory; a segment is a regular file", {}, cause);
        case ENXIO:
        case ENODEV:
            return fail(ErrorCode::segment_corrupt,
                        path + " is not a regular file; a segment is one", {}, cause);
        case EACCES:
        case EPERM:
        case EROFS: {
            struct stat status {};
            if (::lstat(path.c_str(), &status) != 0) return denied(path, "cannot be opened", cause);
            return denied(path,
                          "belongs to uid " + std::to_string(status.st_uid) + " with mode " +
                              octal(status.st_mode) + "; uid " + std::to_string(::geteuid()) +
                              " may not open it",
                          cause);
        }
        default:
            return fail(ErrorCode::system, path + " cannot be opened: " + std::strerror(cause), {},
                        cause);
    }
}

bool is_member(gid_t group) {
    if (::getegid() == group) return true;
    const int count = ::getgroups(0, nullptr);
    if (count <= 0) return false;
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    const int got = ::getgroups(count, groups.data());
    return got > 0 &&
           std::find(groups.begin(), groups.begin() + got, group) != groups.begin() + got;
}

/// Everything that the file system alone can tell, of the opened file and never of its name.
Result<void> check_status(const struct stat& status, const std::string& path) {
    if (!S_ISREG(status.st_mode)) {
        return fail(ErrorCode::segment_corrupt, path + " is not a regular file; a segment is one");
    }
    if (status.st_nlink == 0) {
        return fail(ErrorCode::no_such_budget, path + " was removed while it was opened",
                    "open it again");
    }
    if (status.st_nlink != 1) {
        return fail(ErrorCode::segment_corrupt,
                    path + " has " + std::to_string(status.st_nlink) + " names; a segment has 1");
    }
    const mode_t mode = status.st_mode & 07777;
    const mode_t allowed = (mode & 0060) != 0 ? 0660 : 0600;
    if (mode != allowed) {
        return denied(path, "has mode " + octal(mode) + "; a segment has 0600 or 0660");
    }
    const bool group_shares = mode == 0660 && is_member(status.st_gid);
    if (status.st_uid != ::geteuid() && status.st_uid != 0 && ::geteuid() != 0 && !group_shares) {
        return denied(path, "belongs to uid " + std::to_string(status.st_uid) + " with mode " +
                                octal(mode) + "; this process is uid " +
                                std::to_string(::geteuid()));
    }
    if (status.st_size < static_cast<off_t>(sizeof(Header))) {
        return fail(ErrorCode::segment_corrupt, path + " is " + std::to_string(status.st_size) +
                                                    " bytes long; a segment's header alone takes " +
                                                    std::to_string(sizeof(Header)));
    }
    return {};
}

Result<Header> read_header(int fd, const std::string& path) {
    Header header{};
    const auto got = ::pread(fd, &header, sizeof header, 0);
    if (got == static_cast<ssize_t>(sizeof header)) return header;
    return fail(ErrorCode::system, path + " cannot be read", {}, got < 0 ? errno : EIO);
}

/// A member of the group could name a directory of his choice; so the file's word is taken only
/// where it is what this process would choose itself.
Result<bool> check_state_directory(const Header& header, const struct stat& status,
                                   const Place& place) {
    const std::string recorded = header.state_directory.data();
    if (recorded == place.state_directory) return true;
    if (status.st_uid != ::geteuid()) return false;
    return fail(ErrorCode::refused,
                place.path() + " saves its stops in " + recorded +
                    "; this process would save them in " + place.state_directory,
                "set XDG_STATE_HOME as it was when the segment was created");
}

Result<void> unlink_name(const std::string& path) {
    if (::unlink(path.c_str()) == 0) return {};
    const int cause = errno;
    return denied(path, std::string("cannot be removed: ") + std::strerror(cause), cause);
}

/// The descriptor kept for good stands above 10, out of the way of programs that count on low ones.
int lift(int fd) {
    const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, 11);
    if (high < 0) return fd;
    ::close(fd);
    return high;
}

Result<FileDescriptor> open_checked(const std::string& path, Access access, struct stat& status) {
    // O_NONBLOCK: a FIFO in the name's place must not hold us up.
    const int flags = (access == Access::read_write ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC |
                      O_NONBLOCK | O_NOCTTY;
    const int fd = ::open(path.c_str(), flags);
    if (fd < 0) return open_failure(path, errno);
    FileDescriptor file(lift(fd));
    if (::fstat(file.get(), &status) != 0) return open_failure(path, errno);
    if (auto done = check_status(status, path); !done) return tl::unexpected(done.error());
    return file;
}

struct Opened {
    FileDescriptor file;
    struct stat status {};
    Header header{};
};

Result<Opened> open_with_header(const std::string& path, Access access) {
    Opened opened;
    auto file = open_checked(path, access, opened.status);
    if (!file) return tl::unexpected(file.error());
    const auto header = read_header(file->get(), path);
    if (!header) return tl::unexpected(header.error());
    opened.file = std::move(*file);
    opened.header = *header;
    return opened;
}

Result<Mapping> map_opened(Opened opened, const Place& place, Access access,
                           const HostIdentity& host) {
    Mapping mapping;
    mapping.path = place.path();
    const auto size = static_cast<std::uint64_t>(opened.status.st_size);
    const auto geometry = check_header(opened.header, size, host, mapping.path);
    if (!geometry) return tl::unexpected(geometry.error());
    if (access == Access::read_write) {
        const auto ours = check_state_directory(opened.header, opened.status, place);
        if (!ours) return tl::unexpected(ours.error());
        mapping.state_directory_is_ours = *ours;
    }
    mapping.header = opened.header;
    mapping.host = host;
    mapping.geometry = *geometry;
    mapping.device = opened.status.st_dev;
    mapping.inode = opened.status.st_ino;
    try {
        mapping.region = interprocess::mapped_region(
            FileHandle(opened.file.get()),
            access == Access::read_write ? interprocess::read_write : interprocess::read_only, 0,
            geometry->total);
        mapping.pages = PageGuard(mapping.region.get_address(), mapping.region.get_size());
    } catch (const interprocess::interprocess_exception& error) {
        return fail(ErrorCode::system, mapping.path + " cannot be mapped: " + error.what(), {},
                    error.get_native_error());
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::system, mapping.path + " cannot be mapped: out of memory", {},
                    ENOMEM);
    }
    mapping.file = std::move(opened.file);
    return mapping;
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = other.release();
    }
    return *this;
}

FileDescriptor::~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
}

Result<Mapping> map_file(const Place& place, Access access) {
    auto opened = open_with_header(place.path(), access);
    if (!opened) return tl::unexpected(opened.error());
    const auto host = host_identity();
    if (!host) return tl::unexpected(host.error());
    return map_opened(std::move(*opened), place, access, *host);
}

Result<std::optional<Mapping>> map_relic(const Place& place) {
    auto opened = open_with_header(place.path(), Access::read_write);
    if (!opened) {
        if (opened.error().code == ErrorCode::no_such_budget) return std::optional<Mapping>{};
        return tl::unexpected(opened.error());
    }
    auto host = host_identity();
    if (!host) return tl::unexpected(host.error());
    const Header header = opened->header;
    if (header.boot_id == host->boot_id) return std::optional<Mapping>{};
    const HostIdentity reader = *host;
    host->boot_id = header.boot_id;
    host->time_namespace = header.time_namespace;
    auto mapping = map_opened(std::move(*opened), place, Access::read_write, *host);
    if (!mapping) return tl::unexpected(mapping.error());
    if (!mapping->state_directory_is_ours) {
        return denied(mapping->path, "was made in another boot and saves its stops in " +
                                         std::string(header.state_directory.data()));
    }
    mapping->host = reader;
    return std::optional<Mapping>(std::move(*mapping));
}

Result<FileDescriptor> open_again(const Mapping& mapping) {
    struct stat status {};
    auto file = open_checked(mapping.path, Access::read_write, status);
    if (!file) return file;
    if (status.st_dev == mapping.device && status.st_ino == mapping.inode) return file;
    return fail(ErrorCode::detached, mapping.path + " names another segment now", "open it again");
}

Result<void> remove_name(const Mapping& mapping) {
    struct stat status {};
    if (::lstat(mapping.path.c_str(), &status) != 0) {
        if (errno == ENOENT) return {};
        return open_failure(mapping.path, errno);
    }
    if (status.st_dev != mapping.device || status.st_ino != mapping.inode) {
        return fail(ErrorCode::detached, mapping.path + " names another segment now");
    }
    return unlink_name(mapping.path);
}

Result<void> remove_unusable(const Place& place) {
    const std::string path = place.path();
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return open_failure(path, errno);
    if (!S_ISREG(status.st_mode)) {
        return fail(ErrorCode::refused, path + " is not a regular file", "remove it by hand");
    }
    if (status.st_uid != ::geteuid() && ::geteuid() != 0) {
        return denied(path, "belongs to uid " + std::to_string(status.st_uid));
    }
    return unlink_name(path);
}

}  // namespace ratecoord::segment
