// SPDX-License-Identifier: Apache-2.0
//
// ratectl on a terminal of its own, as a person would have it.
//
// PROMISE  The test holds both ends: what the program leaves behind can be looked at after its end.
//          Waiting for text that never comes fails after 60 s; no other time is judged.
// SHARING  One thread.
#pragma once

#include <termios.h>

#include <string>
#include <vector>

#include "support/child_process.hpp"

namespace ratecoord::testing {

class Terminal {
  public:
    /// `kind` is TERM. 24 lines of 80 columns.
    Terminal(const std::vector<std::string>& arguments, const std::string& kind = "xterm");
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal();

    void type(const std::string& keys) const;
    void resize(unsigned short lines, unsigned short columns) const;
    void send(int signal) const { child_.send(signal); }
    pid_t pid() const { return child_.pid(); }
    /// Reads on until `text` was written since the last expect(); throws if it does not come.
    void expect(const std::string& text);
    /// Exit status, once all is read.
    int wait();

    /// All that was written so far.
    const std::string& written() const { return written_; }
    termios mode() const;

  private:
    bool read_some(int timeout_ms);

    int master_ = -1;
    int slave_ = -1;
    ChildProcess child_;
    std::string written_;
    std::size_t seen_ = 0;
};

}  // namespace ratecoord::testing
