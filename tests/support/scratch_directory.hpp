// SPDX-License-Identifier: Apache-2.0
//
// A directory of its own for the segments of one test, in memory, removed at the end.
//
// PROMISE  While it lives, RATECOORD_DIR names it. Nothing outside it is touched.
// SHARING  One at a time: it changes the environment.
#pragma once

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "segment/directory.hpp"

namespace ratecoord::testing {

class ScratchDirectory {
  public:
    explicit ScratchDirectory(const std::string& parent = "/dev/shm") {
        auto pattern = parent + "/ratecoord-test-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error("no scratch directory in " + parent);
        }
        path_ = pattern;
        ::setenv("RATECOORD_DIR", path_.c_str(), 1);
    }
    ~ScratchDirectory() {
        ::unsetenv("RATECOORD_DIR");
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;

    const std::string& path() const noexcept { return path_; }
    segment::Place place(const std::string& name = "budget") const {
        return segment::place_of(name).value();
    }
    /// Names in it, hidden ones too.
    std::size_t entries() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_))
            ++count;
        return count;
    }

  private:
    std::string path_;
};

}  // namespace ratecoord::testing
