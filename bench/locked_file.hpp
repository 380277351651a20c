// SPDX-License-Identifier: Apache-2.0
//
// The usual way to share buckets between processes: a file under flock(2).
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace bench {

class LockedFile {
  public:
    /// Opens or makes it. Each has a descriptor of its own, as flock wants.
    explicit LockedFile(const std::string& path);
    ~LockedFile();
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    /// Draws one unit from each of three buckets, or from none. The file is mapped: no program does
    /// it with fewer system calls.
    bool try_acquire();
    /// The same where the file is read and written.
    bool try_acquire_by_copy();

  private:
    using Buckets = std::array<std::int64_t, 3>;  // when each is full

    static bool draw(Buckets& buckets);

    int file_ = -1;
    Buckets* buckets_ = nullptr;
};

}  // namespace bench
