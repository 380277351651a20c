// SPDX-License-Identifier: Apache-2.0
//
// A forked child that the test owns, and memory they share.
//
// PROMISE  The child runs the function and leaves by _exit, without destructors of the parent's
//          objects. Whatever is still alive when the object, or the test itself, goes is killed.
// SHARING  Parent only.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace ratecoord::testing {

class ChildProcess {
  public:
    ChildProcess() = default;
    /// `run()` returns the exit status.
    template <class Run>
    explicit ChildProcess(Run&& run) : pid_(::fork()) {
        if (pid_ != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (const int signal : {SIGTERM, SIGINT}) ::signal(signal, SIG_DFL);
        int status = 99;
        try {
            status = run();
        } catch (...) {
            status = 98;
        }
        ::_exit(status);
    }
    ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
    ChildProcess& operator=(ChildProcess&& other) noexcept {
        if (this != &other) {
            end();
            pid_ = std::exchange(other.pid_, -1);
        }
        return *this;
    }
    ~ChildProcess() { end(); }

    pid_t pid() const noexcept { return pid_; }
    void send(int signal) const noexcept {
        if (pid_ > 0) ::kill(pid_, signal);
    }
    /// SIGKILL, and gone when this returns.
    void end() noexcept {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        wait();
    }
    /// Exit status, or 128 + the signal that ended it.
    int wait() noexcept {
        if (pid_ <= 0) return -1;
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0) {
        }
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    /// Whether it is gone, without waiting for it.
    bool has_ended() noexcept {
        if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
        return pid_ <= 0;
    }
    bool has_stopped() const noexcept {
        int status = 0;
        return ::waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status);
    }

  private:
    pid_t pid_ = -1;
};

/// Passes a random-looking while without sleeping: to strike at an instant nobody chose.
inline void spin(std::uint64_t turns) noexcept {
    for (; turns > 0; --turns) asm volatile("" ::: "memory");
}

/// One T that parent and children see.
template <class T>
class Shared {
  public:
    Shared()
        : value_(new (::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                             -1, 0)) T()) {}
    ~Shared() { ::munmap(value_, sizeof(T)); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    T* operator->() const noexcept { return value_; }
    T& operator*() const noexcept { return *value_; }

  private:
    T* value_;
};

}  // namespace ratecoord::testing
