// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/interprocess/exceptions.hpp>
#include <cerrno>
#include <cstring>

#include "segment/checksum.hpp"
#include "segment/file_handle.hpp"
#include "segment/mapping.hpp"
#include "segment/published_state.hpp"

namespace ratecoord::segment {
namespace {

namespace interprocess = boost::interprocess;

std::string bytes_text(std::uint64_t bytes) {
    return std::to_string(bytes) + " bytes";
}

tl::unexpected<Error> fail_with(const Place& place, const char* what, int cause) {
    auto code = ErrorCode::system;
    if (cause == EACCES || cause == EPERM || cause == EROFS) code = ErrorCode::permission_denied;
    if (cause == ENOSPC || cause == EDQUOT) code = ErrorCode::out_of_space;
    return fail(code, place.path() + " cannot be created: " + what + ": " + std::strerror(cause),
                {}, cause);
}

Result<void> check(const Place& place, const CreateOptions& options) {
    if (auto reason = refusal(options.capacity); !reason.empty()) {
        return fail(ErrorCode::invalid_argument, std::move(reason));
    }
    if (options.definitions.size() > options.capacity.limits) {
        return fail(ErrorCode::invalid_argument, std::to_string(options.definitions.size()) +
                                                     " limits do not fit a segment for " +
                                                     std::to_string(options.capacity.limits));
    }
    if (!place.state_directory.starts_with('/') ||
        place.state_directory.size() >= state_directory_bytes) {
        return fail(ErrorCode::invalid_argument, "state directory '" + place.state_directory +
                                                     "' is not an absolute path of at most " +
                                                     std::to_string(state_directory_bytes - 1) +
                                                     " bytes");
    }
    return {};
}

/// Owner, mode and room. The mode is set on the descriptor: the umask must not decide who can join.
Result<void> prepare(const Place& place, const CreateOptions& options, int fd) {
    if (options.group && ::fchown(fd, static_cast<uid_t>(-1), *options.group) != 0) {
        return fail_with(place, "giving it to the group failed", errno);
    }
    if (::fchmod(fd, options.group ? 0660 : 0600) != 0) {
        return fail_with(place, "setting its mode failed", errno);
    }
    const auto bytes = segment_bytes(options.capacity);
    int cause = 0;
    do {
        cause = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    } while (cause == EINTR);
    if (cause == 0) return {};
    auto error = fail_with(place, "reserving its memory failed", cause);
    if (error.value().code == ErrorCode::out_of_space) {
        struct statvfs space {};
        error.value().message += "; it takes " + bytes_text(bytes);
        if (::fstatvfs(fd, &space) == 0) {
            error.value().message +=
                ", " + bytes_text(space.f_bavail * space.f_frsize) + " are free";
        }
        error.value().hint = "create it smaller (clients, reservations), or make room";
    }
    return error;
}

Result<Header> make_header(const Place& place, const CreateOptions& options, int fd) {
    const auto host = host_identity();
    if (!host) return tl::unexpected(host.error());
    struct stat status {};
    if (::fstat(fd, &status) != 0) return fail_with(place, "looking at it failed", errno);
    auto header = blank_header(Geometry::of(options.capacity));
    header.uid = status.st_uid;
    header.gid = status.st_gid;
    header.mode = status.st_mode & 07777;
    header.boot_id = host->boot_id;
    header.time_namespace = host->time_namespace;
    header.created_boot = options.clock->boot();
    header.created_utc = header.created_boot + options.clock->utc_offset();
    if (::getrandom(header.segment_id.data(), sizeof header.segment_id, GRND_NONBLOCK) < 0) {
        // Early in boot; an id is for display, so clock and inode will do.
        header.segment_id = {static_cast<std::uint64_t>(header.created_utc), status.st_ino};
    }
    std::memcpy(header.state_directory.data(), place.state_directory.data(),
                place.state_directory.size());
    seal(header);
    return header;
}

/// False where the caller filled in a state that nobody could attach to.
bool write_state(std::byte* base, const Geometry& geometry, const CreateOptions& options,
                 core::Instant now) {
    std::vector<core::LimitRecord> records(std::size_t{2} * geometry.capacity.limits);
    std::copy(options.definitions.begin(), options.definitions.end(), records.begin());
    const auto record_bytes = geometry.definitions_bytes();
    store_words(base + geometry.definitions[0], records.data(), record_bytes);

    StateCopy copy(geometry.capacity);
    auto& head = *copy.state().head;
    head.limits_in_use = static_cast<std::uint16_t>(options.definitions.size());
    head.next_id = 1;
    head.created_at = now;
    head.last_instant = now;
    if (options.fill) options.fill(copy.state(), now);
    head.definitions_version = 1;
    head.definitions_copy = 0;
    head.definitions_hash = checksum(records.data(), record_bytes);
    head.limits_in_use = static_cast<std::uint16_t>(options.definitions.size());

    if (!copy.counts_fit() || !core::valid(copy.state())) return false;

    const auto& state = copy.state();
    const std::uint64_t version = 1;
    const auto buffer = geometry.buffers - 1;
    auto* to = base + geometry.buffer(buffer) + sizeof(BufferHead);
    store_record(to - sizeof(BufferHead),
                 BufferHead{.checksum = checksum(state, version), .version = version});
    store_words(to, state.head, sizeof(core::StateHead));
    store_words(to + geometry.state.cells, state.cells().data(), state.cells().size_bytes());
    store_words(to + geometry.state.keys, state.keys().data(), state.keys().size_bytes());
    store_words(to + geometry.state.entries, state.entries().data(), state.entries().size_bytes());

    Control control{};
    control.root = Root::of(version, buffer);
    control.epoch = static_cast<std::uint32_t>(head.epoch);
    control.journal_next = 1;
    store_record(base + geometry.control, control);
    return true;
}

Result<void> initialise(const Place& place, const CreateOptions& options, int fd) {
    if (auto done = prepare(place, options, fd); !done) return done;
    const auto header = make_header(place, options, fd);
    if (!header) return tl::unexpected(header.error());
    const auto geometry = Geometry::of(options.capacity);
    try {
        interprocess::mapped_region region(FileHandle(fd), interprocess::read_write, 0,
                                           geometry.total);
        const PageGuard pages(region.get_address(), region.get_size());
        auto* base = static_cast<std::byte*>(region.get_address());
        store_record(base, *header);
        if (!write_state(base, geometry, options, header->created_boot)) {
            return fail(ErrorCode::invalid_argument,
                        place.path() + " cannot be created: its first state is not a valid one");
        }
        if (pages.lost()) return fail_with(place, "its memory was lost", EIO);
    } catch (const interprocess::interprocess_exception& error) {
        return fail_with(place, "mapping it failed", error.get_native_error());
    }
    return {};
}

tl::unexpected<Error> exists(const Place& place) {
    return fail(ErrorCode::already_exists, place.path() + " exists already", {}, EEXIST);
}

/// Gives the nameless file its name; /proc may be missing, and older kernels refuse AT_EMPTY_PATH.
int link_name(int fd, const std::string& path) {
    const auto source = "/proc/self/fd/" + std::to_string(fd);
    if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0)
        return 0;
    if (errno == EEXIST) return EEXIST;
    if (::linkat(fd, "", AT_FDCWD, path.c_str(), AT_EMPTY_PATH) == 0) return 0;
    return errno;
}

}  // namespace

Result<void> create_file(const Place& place, const CreateOptions& options) {
    if (auto done = check(place, options); !done) return done;
    // Looking first only saves work and gives the better error; link_name decides.
    if (::access(place.path().c_str(), F_OK) == 0) return exists(place);
    const FileDescriptor file(
        ::open(place.directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file) {
        if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) {
            return create_file_by_rename(place, options);
        }
        return fail_with(place, ("opening " + place.directory + " failed").c_str(), errno);
    }
    if (auto done = initialise(place, options, file.get()); !done) return done;
    const int cause = link_name(file.get(), place.path());
    if (cause == 0) return {};
    if (cause == EEXIST) return exists(place);
    return create_file_by_rename(place, options);
}

Result<void> create_file_by_rename(const Place& place, const CreateOptions& options) {
    if (auto done = check(place, options); !done) return done;
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) random = monotonic_now();
    const auto hidden = place.directory + "/.ratecoord-" + std::to_string(::getpid()) + '-' +
                        std::to_string(random);
    const FileDescriptor file(
        ::open(hidden.c_str(), O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return fail_with(place, "making a file failed", errno);
    auto done = initialise(place, options, file.get());
    if (done && ::syscall(SYS_renameat2, AT_FDCWD, hidden.c_str(), AT_FDCWD, place.path().c_str(),
                          RENAME_NOREPLACE) == 0) {
        return {};
    }
    const int cause = errno;
    ::unlink(hidden.c_str());
    if (!done) return done;
    if (cause == EEXIST) return exists(place);
    return fail_with(place, "naming it failed", cause);
}

}  // namespace ratecoord::segment
