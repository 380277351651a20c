// SPDX-License-Identifier: Apache-2.0
#include "herd/barrier.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace herd {

namespace {

void close_end(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
}

bool write_to_each(int fd, unsigned workers, std::int64_t value) {
    for (unsigned i = 0; i < workers; ++i) {
        while (::write(fd, &value, sizeof value) != sizeof value) {
            if (errno != EINTR) return false;
        }
    }
    return true;
}

std::optional<std::int64_t> read_one(int fd) {
    std::int64_t value = 0;
    for (;;) {
        const ::ssize_t count = ::read(fd, &value, sizeof value);
        if (count == sizeof value) return value;
        if (count >= 0 || errno != EINTR) return std::nullopt;
    }
}

}  // namespace

Pipe::Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
}

Pipe::~Pipe() {
    close_read_end();
    close_write_end();
}

void Pipe::close_read_end() {
    close_end(ends_[0]);
}

void Pipe::close_write_end() {
    close_end(ends_[1]);
}

void Barrier::be_parent() {
    open_.close_read_end();
    ready_.close_write_end();
    start_.close_read_end();
    stop_.close_read_end();
}

void Barrier::be_worker() {
    // A write end left open in a worker would keep the others from hearing that the parent is gone.
    open_.close_write_end();
    ready_.close_read_end();
    start_.close_write_end();
    stop_.close_write_end();
}

bool Barrier::tell_to_open(unsigned workers) {
    return write_to_each(open_.write_end(), workers, 1);
}

bool Barrier::tell_to_start(unsigned workers, std::int64_t start_ns) {
    return write_to_each(start_.write_end(), workers, start_ns);
}

std::optional<unsigned> Barrier::count_ready() {
    std::array<char, 4096> bytes{};
    const ::ssize_t count = ::read(ready_.read_end(), bytes.data(), bytes.size());
    if (count > 0) return static_cast<unsigned>(count);
    if (count < 0 && errno == EINTR) return 0;
    return std::nullopt;
}

bool Barrier::wait_for_open() {
    return read_one(open_.read_end()).has_value();
}

bool Barrier::tell_ready() {
    const char byte = 'r';
    const bool told = ::write(ready_.write_end(), &byte, 1) == 1;
    ready_.close_write_end();
    return told;
}

std::optional<std::int64_t> Barrier::wait_for_start() {
    return read_one(start_.read_end());
}

}  // namespace herd
