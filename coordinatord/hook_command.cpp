// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/hook_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace coordinatord {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t output_bytes_max = 200;

class Descriptor {
  public:
    explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    int get() const noexcept { return fd_; }
    void reset() noexcept {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

  private:
    int fd_;
};

struct Pipe {
    Descriptor read;
    Descriptor write;
};

bool make_pipe(Pipe& pipe) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    pipe = {Descriptor(ends[0]), Descriptor(ends[1])};
    return true;
}

void stop_blocking(const Descriptor& descriptor) {
    ::fcntl(descriptor.get(), F_SETFL, O_NONBLOCK);
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

/// 0, or why the program did not start.
int start(const HookRun& run, const Pipe& input, const Pipe& output, pid_t& pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, input.read.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const auto arguments = pointers_to(run.command);
    const auto environment = pointers_to(run.environment);
    const int error = ::posix_spawn(&pid, run.command.at(0).c_str(), &actions, &attributes,
                                    arguments.data(), environment.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

/// A program that runs, until it has ended or been ended.
class Watch {
  public:
    Watch(const HookRun& run, pid_t pid, Descriptor ended, Descriptor input, Descriptor output)
        : run_(run),
          pid_(pid),
          ended_(std::move(ended)),
          input_(std::move(input)),
          output_(std::move(output)),
          until_(Clock::now() + run.timeout) {
        stop_blocking(input_);
        stop_blocking(output_);
    }

    HookOutcome wait() {
        while (!look()) {
        }
        // The program is not reaped yet, so the group is still its own.
        if (outcome_.end != HookEnd::done) ::kill(-pid_, SIGKILL);
        hear();
        int status = 0;
        if (::waitpid(pid_, &status, 0) == pid_ && outcome_.end == HookEnd::done) judge(status);
        return std::move(outcome_);
    }

  private:
    /// Whether it has ended.
    bool look() {
        std::array<pollfd, 4> polled{{{ended_.get(), POLLIN, 0},
                                      {input_.get(), POLLOUT, 0},
                                      {output_.get(), POLLIN, 0},
                                      {is_stopping_ ? -1 : run_.stop, POLLIN, 0}}};
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now()).count();
        const int patience = is_killed_ ? -1 : static_cast<int>(std::max<long>(left, 0));
        if (::poll(polled.data(), polled.size(), patience) < 0) return false;
        if (polled[0].revents != 0) return true;
        if (polled[1].revents != 0) feed();
        if (polled[2].revents != 0) hear();
        if (polled[3].revents != 0) {
            is_stopping_ = true;
            end_it(HookEnd::stopped, "the daemon ends", grace_of_stop);
        } else if (!is_killed_ && Clock::now() >= until_) {
            time_is_over();
        }
        return false;
    }

    void time_is_over() {
        if (outcome_.end == HookEnd::done) {
            end_it(HookEnd::timed_out, "not done in time", grace_of_timeout);
            return;
        }
        outcome_.text += ", killed";
        is_killed_ = true;
        ::kill(-pid_, SIGKILL);
    }

    void end_it(HookEnd end, const char* why, Clock::duration grace) {
        if (outcome_.end == HookEnd::done) {
            outcome_.end = end;
            outcome_.text = why;
            until_ = Clock::now() + grace;
            ::kill(-pid_, SIGTERM);
        } else {
            until_ = std::min(until_, Clock::now() + grace);
        }
    }

    void feed() {
        const auto written =
            ::write(input_.get(), run_.input.data() + fed_, run_.input.size() - fed_);
        if (written > 0) fed_ += static_cast<std::size_t>(written);
        const bool can_go_on = written >= 0 || errno == EAGAIN || errno == EINTR;
        if (!can_go_on || fed_ == run_.input.size()) input_.reset();
    }

    void hear() {
        std::array<char, 4096> text{};
        while (output_.get() >= 0) {
            const auto length = ::read(output_.get(), text.data(), text.size());
            if (length <= 0) {
                if (length == 0 || (errno != EAGAIN && errno != EINTR)) output_.reset();
                return;
            }
            const auto room = output_bytes_max - outcome_.output.size();
            outcome_.output.append(text.data(), std::min(room, static_cast<std::size_t>(length)));
            // A program that never stops talking must not keep us from its deadline.
            if (length < static_cast<ssize_t>(text.size()) || Clock::now() >= until_) return;
        }
    }

    void judge(int status) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
        outcome_.end = HookEnd::failed;
        outcome_.text = WIFEXITED(status) ? "ended with " + std::to_string(WEXITSTATUS(status))
                                          : "ended by signal " + std::to_string(WTERMSIG(status));
    }

    const HookRun& run_;
    pid_t pid_;
    Descriptor ended_;
    Descriptor input_;
    Descriptor output_;
    Clock::time_point until_;
    std::size_t fed_ = 0;
    bool is_stopping_ = false;
    bool is_killed_ = false;
    HookOutcome outcome_;
};

}  // namespace

HookOutcome run_command(const HookRun& run) {
    Pipe input;
    Pipe output;
    if (!make_pipe(input) || !make_pipe(output)) {
        return {HookEnd::not_started, std::string("no pipe: ") + std::strerror(errno), {}};
    }
    pid_t pid = -1;
    if (const int error = start(run, input, output, pid); error != 0) {
        return {HookEnd::not_started, run.command.at(0) + ": " + std::strerror(error), {}};
    }
    input.read.reset();
    output.write.reset();
    // glibc 2.36 declares pidfd_open() for C only.
    Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (ended.get() < 0) {
        const std::string why = std::strerror(errno);
        ::kill(-pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return {HookEnd::not_started, "cannot be watched: " + why, {}};
    }
    return Watch(run, pid, std::move(ended), std::move(input.write), std::move(output.read)).wait();
}

}  // namespace coordinatord
