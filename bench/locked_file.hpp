// SPDX-License-Identifier: Apache-2.0
//
// The usual way to share buckets between processes: a file, mapped, under flock(2).
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

    /// Draws one unit from each of three buckets, or from none.
    bool try_acquire();

  private:
    using Buckets = std::array<std::int64_t, 3>;  // when each is full
    int file_ = -1;
    Buckets* buckets_ = nullptr;
};

}  // namespace bench
