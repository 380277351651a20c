// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/instance.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "coordinatord/log.hpp"

namespace coordinatord {

using ratecoord::ErrorCode;
using ratecoord::fail;

ratecoord::Result<Instance> Instance::claim(const std::string& directory) {
    const std::string path = directory + "/coordinatord.lock";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) {
        const int error = errno;
        return fail(error == EACCES || error == EPERM || error == EROFS
                        ? ErrorCode::permission_denied
                        : ErrorCode::system,
                    path + " cannot be opened: " + std::strerror(error),
                    "run coordinatord as the owner of " + directory, error);
    }
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(fd, F_SETLK, &whole) == 0) {
        Instance instance(fd);
        instance.note_reload({});
        return instance;
    }
    whole.l_type = F_WRLCK;
    const bool is_known = ::fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    ::close(fd);
    return fail(ErrorCode::busy,
                "another coordinatord looks after " + directory +
                    (is_known ? " (pid " + std::to_string(whole.l_pid) + ")" : std::string()),
                "stop it first, or use 'ratectl reload'");
}

Instance::Instance(Instance&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), reloads_(other.reloads_) {}

Instance::~Instance() {
    if (fd_ >= 0) ::close(fd_);
}

void Instance::note_reload(const std::string& problem) {
    const std::string text = std::to_string(reloads_) +
                             (problem.empty() ? std::string(" ok") : " failed: " + problem) + '\n';
    ++reloads_;
    const auto length = static_cast<ssize_t>(text.size());
    if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, text.data(), text.size(), 0) != length) {
        log_line(Severity::warning, std::string("the outcome of the reload cannot be written: ") +
                                        std::strerror(errno));
    }
}

}  // namespace coordinatord
