// SPDX-License-Identifier: Apache-2.0
//
// A segment's file: making one, and mapping one that somebody else made.
//
// PROMISE  M1  Creation is atomic: the name appears when the file is complete. A creator killed at
//              any instruction leaves nothing.
//          M2  Attaching trusts nothing: type, owner, mode, links and size of the opened file, then
//              every number of the header, before a byte behind it is touched. What is wrong is
//              refused with one sentence that names the file and both values; it is never repaired.
//          M3  The size of an existing file is never changed.
// ERRORS   no_such_budget, permission_denied, version_mismatch, segment_corrupt, already_exists,
//          out_of_space, invalid_argument, system.
// SHARING  Free functions; a Mapping belongs to whoever holds it.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <boost/interprocess/mapped_region.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "segment/clock.hpp"
#include "segment/directory.hpp"
#include "segment/layout.hpp"
#include "segment/page_guard.hpp"

namespace ratecoord::segment {

/// An open file that closes itself.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    ~FileDescriptor();

    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    int release() noexcept { return std::exchange(fd_, -1); }

  private:
    int fd_ = -1;
};

enum class Access : std::uint8_t { read_only, read_write };

/// A checked, mapped segment.
struct Mapping {
    FileDescriptor file;
    boost::interprocess::mapped_region region;
    PageGuard pages;  ///< of region: goes before it
    Geometry geometry;
    Header header{};  ///< as it was when it was checked
    HostIdentity host;
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
    bool state_directory_is_ours = true;

    std::byte* base() const noexcept { return static_cast<std::byte*>(region.get_address()); }
};

struct CreateOptions {
    core::Capacity capacity;
    /// Group that shares it: mode 0660 and that group; else 0600. Never a bit for others.
    std::optional<gid_t> group;
    std::span<const core::LimitRecord> definitions;
    /// Fills the first published state: head, cells, keys. The segment sets what refers to the
    /// definitions. `now` is CLOCK_BOOTTIME.
    std::function<void(core::State&, core::Instant now)> fill;
    const Clock* clock = &SystemClock::instance();
};

/// Makes the segment's file; attach to use it.
Result<void> create_file(const Place& place, const CreateOptions& options);

/// Opens, checks and maps. Somebody else's segment may be mapped read_only by root.
Result<Mapping> map_file(const Place& place, Access access);

/// Maps what another boot left under that name (see Relic); nullopt where there is no such thing.
Result<std::optional<Mapping>> map_relic(const Place& place);

/// Opens anew the very file of `mapping`, for a forked child; detached if the name means another.
Result<FileDescriptor> open_again(const Mapping& mapping);

/// Removes the name if it still names the file of `mapping`. Publish `retired` first.
Result<void> remove_name(const Mapping& mapping);

/// Removes the name of what cannot be attached: a regular file of this user, or any for root.
Result<void> remove_unusable(const Place& place);

/// The fallback of creation where the file system has no O_TMPFILE: a hidden name, then
/// renameat2(RENAME_NOREPLACE). A creator killed half way leaves that hidden name behind.
Result<void> create_file_by_rename(const Place& place, const CreateOptions& options);

}  // namespace ratecoord::segment
