// SPDX-License-Identifier: Apache-2.0
//
// Signals as something to wait for, beside other descriptors.
//
// PROMISE  While it lives, the signals named do not interrupt the program: they stand in line to be
//          read. Signals that are ignored from outside (nohup) stay ignored. Afterwards they do
//          what they did before.
// SHARING  One thread; of the whole program while it lives.
#pragma once

#include <signal.h>

#include <initializer_list>
#include <optional>

namespace ratectl {

class SignalWatch {
  public:
    explicit SignalWatch(std::initializer_list<int> signals);
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;
    ~SignalWatch();

    /// Readable when a signal stands in line.
    int fd() const { return fd_; }
    std::optional<int> next();
    /// Does what `signal` does to a program that does not watch it; returns if that lets it go on.
    void let_act(int signal);

  private:
    sigset_t watched_;
    sigset_t before_;
    int fd_ = -1;
};

}  // namespace ratectl
