// SPDX-License-Identifier: Apache-2.0
#include "demo/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "herd/instant.hpp"

namespace demo {

namespace {

::sigset_t watched_signals() {
    ::sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
    return set;
}

void redirect(const std::string& path, int target) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ::dup2(fd, target) < 0) ::_exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

// glibc 2.36 declares pidfd_open for C only.
int open_pidfd(pid_t pid) {
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U));
}

[[noreturn]] void become(Command command, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The parent may have died before the line above; the kernel then never tells.
    if (::getppid() != parent) ::_exit(127);
    // Ctrl-C goes to the demo alone, which ends its children in order.
    ::setpgid(0, 0);
    redirect(command.output_file, STDOUT_FILENO);
    redirect(command.error_file, STDERR_FILENO);
    for (std::string& variable : command.environment) ::putenv(variable.data());
    const ::sigset_t set = watched_signals();
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
    ::execv(command.arguments.front().c_str(), pointers(command.arguments).data());
    ::_exit(127);
}

}  // namespace

Signals::Signals() {
    const ::sigset_t set = watched_signals();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Signals::~Signals() {
    // A second Ctrl-C while the first is being obeyed would kill us below, without a word.
    ::signalfd_siginfo info{};
    while (::read(fd_, &info, sizeof info) == sizeof info) {
    }
    ::close(fd_);
    const ::sigset_t set = watched_signals();
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Signals::wait(std::int64_t until_boot_ns) {
    const std::int64_t left = std::max<std::int64_t>(0, until_boot_ns - herd::boot_now_ns());
    const ::timespec timeout{left / herd::second_ns, left % herd::second_ns};
    ::pollfd source{fd_, POLLIN, 0};
    ::ppoll(&source, 1, &timeout, nullptr);
    ::signalfd_siginfo info{};
    bool interrupted = false;
    while (::read(fd_, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGCHLD) interrupted = true;
    }
    if (interrupted) throw Interrupted();
}

Process::Process(const Command& command) {
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) become(command, parent);
}

Process::~Process() {
    // SIGTERM and a moment first: herd ends its own workers and removes its files.
    constexpr int patience_ms = 3'000;
    terminate();
    const int handle = exit_code_ ? -1 : open_pidfd(pid_);
    ::pollfd ended{handle, POLLIN, 0};
    if (handle >= 0) {
        ::poll(&ended, 1, patience_ms);
        ::close(handle);
    }
    if (poll()) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

std::optional<int> Process::poll() {
    int status = 0;
    if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return exit_code_;
}

void Process::terminate() {
    if (!poll()) ::kill(pid_, SIGTERM);
}

std::string program_directory() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

}  // namespace demo
