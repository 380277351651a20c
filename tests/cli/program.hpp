// SPDX-License-Identifier: Apache-2.0
//
// Runs ratectl as an operator would: a process of its own, its output caught.
//
// PROMISE  Nothing to read on its standard input, no terminal, locale C, no NO_COLOR, no COLUMNS. A run that
//          hangs is ended by a signal after 30 s and reported as 128 + 14.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace ratecoord::testing {

struct Ran {
    int exit = -1;
    std::string results;    ///< standard output
    std::string narration;  ///< standard error
};

struct RunAs {
    uid_t uid = 0;  ///< 0: as oneself
};

Ran run_ratectl(const std::vector<std::string>& arguments, RunAs as = {});

/// Where ratectl looks for profiles while this lives, and nowhere else.
class ProfileDirectory {
  public:
    explicit ProfileDirectory(const std::string& path);
    ProfileDirectory(const ProfileDirectory&) = delete;
    ProfileDirectory& operator=(const ProfileDirectory&) = delete;
    ~ProfileDirectory();
};

/// Words parted by blanks; '...' keeps blanks in one.
std::vector<std::string> split_command(const std::string& line);

/// The whole of a file.
std::string file_text(const std::string& path);

}  // namespace ratecoord::testing
