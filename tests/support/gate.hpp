// SPDX-License-Identifier: Apache-2.0
//
// A barrier between a test and its children: they report, then all go at once.
//
// PROMISE  wait_for(n) returns when n children have arrived, or false if one died before. Children
//          that arrived go when open() is called, or when the parent dies.
// NEEDS    Children are forked while the gate is shut.
// SHARING  Parent and children.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace ratecoord::testing {

class Gate {
  public:
    Gate() {
        if (::pipe2(ready_.data(), O_CLOEXEC) != 0 || ::pipe2(go_.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipe for a gate");
        }
    }
    ~Gate() {
        for (const int fd : {ready_[0], ready_[1], go_[0], go_[1]}) {
            if (fd >= 0) ::close(fd);
        }
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    /// Child: reports, and returns when the gate opens.
    void arrive() {
        ::close(go_[1]);
        go_[1] = -1;
        char byte = 1;
        const bool reported = ::write(ready_[1], &byte, 1) == 1;
        ::close(ready_[1]);  // held by those alone who may still arrive
        ready_[1] = -1;
        while (reported && ::read(go_[0], &byte, 1) < 0) {
        }
    }

    bool wait_for(int children) {
        ::close(ready_[1]);
        ready_[1] = -1;
        std::array<char, 64> bytes;
        while (children > 0) {
            const auto got = ::read(ready_[0], bytes.data(), bytes.size());
            if (got == 0) return false;
            if (got > 0) children -= static_cast<int>(got);
        }
        return true;
    }

    void open() {
        ::close(go_[1]);
        go_[1] = -1;
    }

  private:
    std::array<int, 2> ready_{-1, -1};
    std::array<int, 2> go_{-1, -1};
};

}  // namespace ratecoord::testing
