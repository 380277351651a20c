// SPDX-License-Identifier: Apache-2.0
#include "ratectl/daemon_contact.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "segment/directory.hpp"

namespace ratectl {

namespace {

Failure no_daemon(const std::string& what, const std::string& directory) {
    return {.what = what,
            .cause = "no coordinatord looks after " + directory,
            .hint = "start it with 'systemctl start coordinatord', see coordinatord(8)",
            .code = "no_daemon",
            .exit = ExitCode::no_such_budget,
            .retry_after_ns = std::nullopt};
}

Failure unreadable(const std::string& what, const std::string& path, int error) {
    return {.what = what,
            .cause = path + " cannot be read: " + std::strerror(error),
            .hint = "run it as root or as the user of coordinatord",
            .code = "permission",
            .exit = error == EACCES ? ExitCode::permission : ExitCode::failed,
            .retry_after_ns = std::nullopt};
}

/// "3 ok" or "3 failed: why". False where the daemon is just writing it.
bool read_outcome(std::string_view text, DaemonContact& contact) {
    const char* const end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, contact.reloads);
    if (number.ec != std::errc() || !text.ends_with('\n')) return false;
    constexpr std::string_view failed = " failed: ";
    std::string_view rest(number.ptr, static_cast<std::size_t>(end - number.ptr) - 1);
    if (rest == " ok") return true;
    if (!rest.starts_with(failed)) return false;
    contact.problem = printable(rest.substr(failed.size()));
    return true;
}

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

}  // namespace

Outcome<DaemonContact> find_daemon(const std::string& what) {
    const auto place = ratecoord::segment::place_of("any");
    if (!place) return tl::unexpected(failure_of(what, place.error()));
    DaemonContact contact;
    contact.directory = place->directory;
    const std::string path = place->directory + "/coordinatord.lock";
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() < 0 && errno == ENOENT) return tl::unexpected(no_daemon(what, place->directory));
    if (file.get() < 0) return tl::unexpected(unreadable(what, path, errno));

    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(file.get(), F_GETLK, &whole) != 0) {
        return tl::unexpected(unreadable(what, path, errno));
    }
    // 0: the holder is in another pid namespace, where no signal of ours goes.
    if (whole.l_type == F_UNLCK || whole.l_pid <= 0) {
        return tl::unexpected(no_daemon(what, place->directory));
    }
    contact.pid = whole.l_pid;
    std::array<char, 4096> text{};
    const auto got = ::pread(file.get(), text.data(), text.size(), 0);
    if (got < 0) return tl::unexpected(unreadable(what, path, errno));
    if (!read_outcome({text.data(), static_cast<std::size_t>(got)}, contact)) contact.reloads = 0;
    return contact;
}

}  // namespace ratectl
