// SPDX-License-Identifier: Apache-2.0
#include "segment/relic.hpp"

#include <fcntl.h>
#include <sys/vfs.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ratecoord::segment {
namespace {

/// From linux/magic.h and the file systems' own headers: those that several hosts may mount.
constexpr std::array<std::uint32_t, 12> shared_file_systems = {
    0x00006969,  // NFS
    0xff534d42,  // CIFS
    0xfe534d42,  // SMB2
    0x0000517b,  // SMB
    0x01021997,  // 9P
    0x65735546,  // FUSE, virtiofs
    0x00c36400,  // Ceph
    0x5346414f,  // AFS
    0x7461636f,  // OCFS2
    0x01161970,  // GFS2
    0x0bd00bd0,  // Lustre
    0x786f4256,  // VirtualBox
};

tl::unexpected<Error> alive(const std::string& path, const char* why) {
    return fail(ErrorCode::version_mismatch, path + " was made under another boot id, and " + why,
                "run every client of a budget under one kernel and one boot id");
}

bool reaches_other_hosts(int fd) noexcept {
    struct statfs status {};
    if (::fstatfs(fd, &status) != 0) return true;
    return std::find(shared_file_systems.begin(), shared_file_systems.end(),
                     static_cast<std::uint32_t>(status.f_type)) != shared_file_systems.end();
}

struct flock whole() noexcept {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

enum class Hold { ours, anothers, clients, failed };

/// Another replacer holds all bytes; a client holds one.
Hold try_hold(int fd) noexcept {
    auto lock = whole();
    if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) return Hold::ours;
    if (errno != EAGAIN && errno != EACCES) return Hold::failed;
    lock = whole();
    if (::fcntl(fd, F_OFD_GETLK, &lock) != 0) return Hold::failed;
    // Let go in between: tried again like one that another replacer holds.
    if (lock.l_type == F_UNLCK) return Hold::anothers;
    return lock.l_len == 0 ? Hold::anothers : Hold::clients;
}

}  // namespace

Result<std::optional<Relic>> Relic::claim(const Place& place, std::chrono::milliseconds patience) {
    auto mapped = map_relic(place);
    if (!mapped) return tl::unexpected(mapped.error());
    if (!*mapped) return std::optional<Relic>{};
    auto mapping = std::make_unique<Mapping>(std::move(**mapped));
    const int fd = mapping->file.get();
    if (reaches_other_hosts(fd)) return alive(mapping->path, "other hosts may use its directory");
    constexpr timespec two_milliseconds{0, 2'000'000};
    for (std::int64_t tries = patience.count() / 2;; --tries) {
        const Hold hold = try_hold(fd);
        if (hold == Hold::ours) break;
        if (hold == Hold::clients) return alive(mapping->path, "a client is attached to it");
        if (hold == Hold::failed) {
            return fail(ErrorCode::system, mapping->path + " cannot be locked", {}, errno);
        }
        if (tries <= 0) {
            return fail(ErrorCode::busy,
                        mapping->path + " is being replaced by another process for too long",
                        "try again");
        }
        ::nanosleep(&two_milliseconds, nullptr);
    }
    Relic relic(std::move(mapping));
    if (!relic.view().is_linked()) return std::optional<Relic>{};
    return std::optional<Relic>(std::move(relic));
}

}  // namespace ratecoord::segment
