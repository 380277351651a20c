// SPDX-License-Identifier: Apache-2.0
#include "segment/saved_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace ratecoord::segment {
namespace {

tl::unexpected<Error> failed(const std::string& what, const std::string& path, int error) {
    const ErrorCode code = error == EACCES || error == EPERM || error == EROFS
                               ? ErrorCode::permission_denied
                           : error == ENOSPC || error == EDQUOT ? ErrorCode::out_of_space
                                                                : ErrorCode::system;
    return fail(code, what + " '" + path + "': " + std::strerror(error), {}, error);
}

Result<void> make_directory(const std::string& directory) {
    std::error_code error;
    const bool existed = std::filesystem::is_directory(directory, error);
    if (existed) return {};
    std::filesystem::create_directories(directory, error);
    if (error) return failed("cannot make the state directory", directory, error.value());
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
    return {};
}

bool write_all(int fd, std::string_view content) noexcept {
    while (!content.empty()) {
        const ssize_t written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

Result<std::optional<std::string>> read_path(const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file) {
        if (errno == ENOENT) return std::optional<std::string>{};
        return failed("cannot read the saved stops", path, errno);
    }
    struct stat found {};
    if (::fstat(file.get(), &found) != 0) return failed("cannot read the saved stops", path, errno);
    if (!S_ISREG(found.st_mode)) return failed("cannot read the saved stops", path, EINVAL);
    std::string content;
    char part[4096];
    for (;;) {
        const ssize_t got = ::read(file.get(), part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failed("cannot read the saved stops", path, errno);
        if (got == 0) return std::optional<std::string>(std::move(content));
        content.append(part, static_cast<std::size_t>(got));
        if (content.size() > saved_bytes_max) {
            return failed("cannot read the saved stops", path, EFBIG);
        }
    }
}

void pause_between_tries() noexcept {
    const timespec two_milliseconds{0, 2'000'000};
    ::nanosleep(&two_milliseconds, nullptr);
}

}  // namespace

Result<SavedFile> SavedFile::lock(const std::string& directory, const std::string& name,
                                  std::chrono::milliseconds patience) {
    if (auto made = make_directory(directory); !made) return tl::unexpected(made.error());
    const std::string path = directory + '/' + name;
    const std::string lock_path = path + ".lock";
    FileDescriptor file(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failed("cannot open the lock of the saved stops", lock_path, errno);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    const auto tries = patience.count() / 2 + 1;
    for (std::int64_t i = 0;; ++i) {
        if (::fcntl(file.get(), F_OFD_SETLK, &whole) == 0) break;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
            return failed("cannot lock", lock_path, errno);
        }
        if (i >= tries) {
            return fail(ErrorCode::busy, "another process is writing '" + path + "'");
        }
        pause_between_tries();
    }
    return SavedFile(std::move(file), directory, path);
}

Result<std::optional<std::string>> SavedFile::read() const {
    return read_path(path_);
}

Result<void> SavedFile::replace(std::string_view content) {
    const std::string temporary = path_ + ".new";
    {
        const FileDescriptor file(
            ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file) return failed("cannot write", temporary, errno);
        if (!write_all(file.get(), content) || ::fsync(file.get()) != 0) {
            const int error = errno;
            ::unlink(temporary.c_str());
            return failed("cannot write", temporary, error);
        }
    }
    if (::rename(temporary.c_str(), path_.c_str()) != 0) {
        return failed("cannot replace", path_, errno);
    }
    const FileDescriptor directory(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || ::fsync(directory.get()) != 0)
        return failed("cannot sync", directory_, errno);
    return {};
}

Result<void> SavedFile::set_aside() {
    // An earlier one may still wait for a person to look at it; only the last name is used again.
    constexpr int kept_most = 10;
    for (int n = 1;; ++n) {
        const std::string aside =
            std::string(path_).append(set_aside_ending) + (n == 1 ? "" : '-' + std::to_string(n));
        if (n < kept_most && ::access(aside.c_str(), F_OK) == 0) continue;
        if (::rename(path_.c_str(), aside.c_str()) == 0) return {};
        return failed("cannot set aside", path_, errno);
    }
}

Result<std::optional<std::string>> read_saved(const std::string& directory,
                                              const std::string& name) {
    return read_path(directory + '/' + name);
}

}  // namespace ratecoord::segment
