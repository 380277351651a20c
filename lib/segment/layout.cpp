// SPDX-License-Identifier: Apache-2.0
#include "segment/layout.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "segment/checksum.hpp"

namespace ratecoord::segment {
namespace {

std::string between(const char* what, std::uint32_t value, std::uint32_t most) {
    if (value >= 1 && value <= most) return {};
    return "a segment for " + std::to_string(value) + ' ' + what + " cannot be: 1 to " +
           std::to_string(most) + " are possible";
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
bool parse_uuid(const char* text, std::array<std::uint8_t, 16>& uuid) {
    std::size_t digits = 0;
    for (; *text != '\0' && *text != '\n'; ++text) {
        if (*text == '-') continue;
        const int digit = hex_digit(*text);
        if (digit < 0 || digits == 32) return false;
        uuid[digits / 2] = static_cast<std::uint8_t>(uuid[digits / 2] << 4 | digit);
        ++digits;
    }
    return digits == 32;
}

std::uint64_t namespace_inode(const char* path) {
    struct stat status {};
    return ::stat(path, &status) == 0 ? status.st_ino : 0;
}

struct Field {
    const char* name;
    std::uint32_t theirs;
    std::uint32_t ours;
};

tl::unexpected<Error> mismatch(const std::string& path, const char* what, std::uint64_t theirs,
                               std::uint64_t ours) {
    return fail(
        ErrorCode::version_mismatch,
        path + " has " + what + ' ' + std::to_string(theirs) + "; this build uses " +
            std::to_string(ours),
        "use the build that made it, or 'ratectl destroy NAME --unusable' and create it anew");
}

tl::unexpected<Error> corrupt(const std::string& path, const std::string& what) {
    return fail(
        ErrorCode::segment_corrupt, path + ' ' + what,
        "if it is not in use any more, 'ratectl destroy NAME --unusable', then create it anew");
}

}  // namespace

std::string refusal(const core::Capacity& capacity) {
    for (const auto& reason : {between("clients", capacity.clients, clients_max),
                               between("reservations", capacity.reservations, reservations_max),
                               between("limits", capacity.limits, limits_max),
                               between("keys", capacity.keys, keys_max)}) {
        if (!reason.empty()) return reason;
    }
    const auto bytes = segment_bytes(capacity);
    if (bytes <= total_bytes_max) return {};
    return "a segment of " + std::to_string(bytes) + " bytes is larger than " +
           std::to_string(total_bytes_max);
}

Result<HostIdentity> host_identity() {
    HostIdentity host;
    std::array<char, 64> text{};
    const int fd = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const auto got = fd < 0 ? -1 : ::read(fd, text.data(), text.size() - 1);
    const int cause = errno;
    if (fd >= 0) ::close(fd);
    if (got < 0 || !parse_uuid(text.data(), host.boot_id)) {
        return fail(ErrorCode::system,
                    "the boot id cannot be read from /proc/sys/kernel/random/boot_id",
                    "mount /proc: without it two boots cannot be told apart", cause);
    }
    host.time_namespace = namespace_inode("/proc/self/ns/time");
    host.pid_namespace = namespace_inode("/proc/self/ns/pid");
    return host;
}

Header blank_header(const Geometry& geometry) noexcept {
    Header header{};
    header.magic = magic;
    header.format_version = format_version;
    header.byte_order = byte_order_mark;
    header.total_bytes = geometry.total;
    header.header_bytes = sizeof(Header);
    header.clients = geometry.capacity.clients;
    header.reservations = geometry.capacity.reservations;
    header.limits = geometry.capacity.limits;
    header.keys = geometry.capacity.keys;
    header.state_head_bytes = sizeof(core::StateHead);
    header.cell_bytes = sizeof(core::Cell);
    header.key_bytes = sizeof(core::Key);
    header.entry_bytes = sizeof(core::Entry);
    header.limit_record_bytes = sizeof(core::LimitRecord);
    header.client_record_bytes = sizeof(ClientRecord);
    header.key_name_bytes = sizeof(KeyName);
    header.journal_record_bytes = sizeof(JournalRecord);
    header.journal_records = journal_entries;
    header.client_counters = client_counters;
    header.limit_counters = limit_counters;
    header.budget_counters = budget_counters;
    return header;
}

void seal(Header& header) noexcept {
    header.checksum = checksum(&header, offsetof(Header, checksum));
}

namespace {

Result<void> check_format(const Header& header, const std::string& path) {
    if (header.magic != magic) {
        return corrupt(path,
                       "is not a ratecoord segment: its first 8 bytes are not 'ratecoord'[0,8)");
    }
    if (header.byte_order != byte_order_mark) {
        return mismatch(path, "byte order mark", header.byte_order, byte_order_mark);
    }
    if (header.format_version != format_version) {
        return mismatch(path, "format version", header.format_version, format_version);
    }
    const auto expected = blank_header(Geometry{});
    for (const auto& field : {
             Field{"headers of bytes", header.header_bytes, expected.header_bytes},
             Field{"state heads of bytes", header.state_head_bytes, expected.state_head_bytes},
             Field{"cells of bytes", header.cell_bytes, expected.cell_bytes},
             Field{"keys of bytes", header.key_bytes, expected.key_bytes},
             Field{"entries of bytes", header.entry_bytes, expected.entry_bytes},
             Field{"limit records of bytes", header.limit_record_bytes,
                   expected.limit_record_bytes},
             Field{"client records of bytes", header.client_record_bytes,
                   expected.client_record_bytes},
             Field{"key names of bytes", header.key_name_bytes, expected.key_name_bytes},
             Field{"journal records of bytes", header.journal_record_bytes,
                   expected.journal_record_bytes},
             Field{"journal records", header.journal_records, expected.journal_records},
             Field{"counters a client", header.client_counters, expected.client_counters},
             Field{"counters a limit", header.limit_counters, expected.limit_counters},
             Field{"counters a budget", header.budget_counters, expected.budget_counters},
         }) {
        if (field.theirs != field.ours) return mismatch(path, field.name, field.theirs, field.ours);
    }
    return {};
}

Result<void> check_host(const Header& header, const HostIdentity& host, const std::string& path) {
    if (header.boot_id != host.boot_id) {
        return fail(ErrorCode::version_mismatch,
                    path +
                        " was made in another boot of this host, or on another host; its instants "
                        "mean nothing here",
                    "a client that opens it by its limits or profile takes its place, and so does "
                    "'ratectl create'; stops are kept");
    }
    if (header.time_namespace != host.time_namespace) {
        return fail(ErrorCode::version_mismatch,
                    path + " was made in time namespace " + std::to_string(header.time_namespace) +
                        "; this process is in " + std::to_string(host.time_namespace) +
                        " and reads another clock",
                    "run every client in one time namespace");
    }
    return {};
}

}  // namespace

Result<Geometry> check_header(const Header& header, std::uint64_t file_bytes,
                              const HostIdentity& host, const std::string& path) {
    if (auto known = check_format(header, path); !known) return tl::unexpected(known.error());
    const core::Capacity capacity{.clients = header.clients,
                                  .reservations = header.reservations,
                                  .limits = header.limits,
                                  .keys = header.keys};
    if (auto reason = refusal(capacity); !reason.empty()) {
        return corrupt(path, "has an impossible size: " + reason);
    }
    const auto geometry = Geometry::of(capacity);
    if (header.total_bytes != geometry.total || file_bytes != geometry.total) {
        return corrupt(path, "is " + std::to_string(file_bytes) +
                                 " bytes long and its header says " +
                                 std::to_string(header.total_bytes) + "; its counts need " +
                                 std::to_string(geometry.total));
    }
    auto sealed = header;
    seal(sealed);
    if (sealed.checksum != header.checksum)
        return corrupt(path, "has a damaged header: its checksum does not match");
    if (header.state_directory.front() != '/' || header.state_directory.back() != '\0') {
        return corrupt(path, "names no absolute state directory");
    }
    if (auto same = check_host(header, host, path); !same) return tl::unexpected(same.error());
    return geometry;
}

}  // namespace ratecoord::segment
