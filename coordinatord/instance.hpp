// SPDX-License-Identifier: Apache-2.0
//
// One daemon for a directory, and how `ratectl reload` finds it.
//
// PROMISE  I1  The file DIRECTORY/coordinatord.lock is held by a lock that ends with the process, so
//              that a pid read from the kernel's answer to F_GETLK is never that of another program.
//          I2  Its text is the outcome of the last reload: "N ok" or "N failed: why", N counting
//              them. It is written whole.
// SHARING  One thread.
#pragma once

#include <cstdint>
#include <string>

#include <ratecoord/result.hpp>

namespace coordinatord {

class Instance {
  public:
    /// Error busy where another one has the directory, naming its pid.
    static ratecoord::Result<Instance> claim(const std::string& directory);

    Instance(Instance&& other) noexcept;
    Instance& operator=(Instance&&) = delete;
    ~Instance();

    /// `problem` empty: it worked.
    void note_reload(const std::string& problem);

  private:
    explicit Instance(int fd) noexcept : fd_(fd) {}

    int fd_;
    std::uint64_t reloads_ = 0;
};

}  // namespace coordinatord
