// SPDX-License-Identifier: Apache-2.0
//
// One T in a file, for processes that share nothing else: a program that was executed anew sees it.
//
// PROMISE  Zeroes where nobody wrote. The file is the caller's to remove.
// SHARING  Any process that knows the path.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace ratecoord::testing {

template <class T>
class SharedFile {
  public:
    explicit SharedFile(const std::string& path) {
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || ::ftruncate(fd, sizeof(T)) != 0) {
            throw std::runtime_error("no shared file " + path);
        }
        void* at = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        if (at == MAP_FAILED) throw std::runtime_error("no room to map " + path);
        value_ = static_cast<T*>(at);
    }
    ~SharedFile() { ::munmap(value_, sizeof(T)); }
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;

    T* operator->() const noexcept { return value_; }
    T& operator*() const noexcept { return *value_; }

  private:
    T* value_;
};

}  // namespace ratecoord::testing
