// SPDX-License-Identifier: Apache-2.0
#include "herd/workers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "herd/instant.hpp"

namespace herd {

namespace {

::sigset_t watched_signals() {
    ::sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
    return set;
}

[[noreturn]] void be_worker(pid_t parent, Barrier& barrier, unsigned worker,
                            const std::function<int(unsigned)>& body) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before the line above; the kernel then never tells.
    if (::getppid() != parent) ::_exit(1);
    const ::sigset_t set = watched_signals();
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    barrier.be_worker();
    // _exit: what the parent has buffered is the parent's to write.
    ::_exit(body(worker));
}

}  // namespace

Workers::Workers() {
    const ::sigset_t set = watched_signals();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    signal_fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signal_fd_ < 0) throw std::system_error(errno, std::generic_category());
}

Workers::~Workers() {
    signal_all(SIGKILL);
    for (const auto& [pid, worker] : running_) ::waitpid(pid, nullptr, 0);
    ::close(signal_fd_);
}

void Workers::start(unsigned count, Barrier& barrier, const std::function<int(unsigned)>& body) {
    const pid_t parent = ::getpid();
    for (unsigned worker = 0; worker < count; ++worker) {
        const pid_t pid = ::fork();
        if (pid < 0) throw std::system_error(errno, std::generic_category());
        if (pid == 0) be_worker(parent, barrier, worker, body);
        running_.emplace(pid, worker);
    }
    barrier.be_parent();
}

void Workers::reap() {
    int status = 0;
    // Only our own: somebody who runs us may have left us other children.
    for (auto worker = running_.begin(); worker != running_.end();) {
        if (::waitpid(worker->first, &status, WNOHANG) != worker->first) {
            ++worker;
            continue;
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ++count_.failed;
        worker = running_.erase(worker);
    }
}

void Workers::wait_round(int other_fd, std::int64_t until_ns) {
    const std::int64_t left = std::max<std::int64_t>(0, until_ns - boot_now_ns());
    const ::timespec timeout{left / second_ns, left % second_ns};
    ::pollfd sources[2] = {{signal_fd_, POLLIN, 0}, {other_fd, POLLIN, 0}};
    ::ppoll(sources, other_fd < 0 ? 1 : 2, &timeout, nullptr);
    ::signalfd_siginfo info{};
    while (::read(signal_fd_, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGCHLD) interrupted_ = true;
    }
    reap();
}

bool Workers::wait_ready(Barrier& barrier, std::int64_t until_ns) {
    const auto wanted = static_cast<unsigned>(running_.size());
    ::fcntl(barrier.ready_fd(), F_SETFL, O_NONBLOCK);
    while (count_.ready < wanted) {
        wait_round(barrier.ready_fd(), until_ns);
        count_.ready += barrier.count_ready().value_or(0);
        if (interrupted_ || count_.failed > 0 || boot_now_ns() >= until_ns) return false;
    }
    return true;
}

Ended Workers::wait_ended(std::int64_t until_ns) {
    while (!running_.empty()) {
        wait_round(-1, until_ns);
        if (running_.empty()) break;
        if (interrupted_) return Ended::by_signal;
        if (boot_now_ns() >= until_ns) return Ended::by_time;
    }
    return interrupted_ ? Ended::by_signal : Ended::by_themselves;
}

void Workers::end(Barrier& barrier) {
    barrier.stop();
    for (const int signal : {0, SIGTERM, SIGKILL}) {
        if (signal != 0) signal_all(signal);
        const std::int64_t until = boot_now_ns() + second_ns / 2;
        while (!running_.empty() && boot_now_ns() < until) wait_round(-1, until);
    }
}

void Workers::signal_all(int signal) const {
    for (const auto& [pid, worker] : running_) ::kill(pid, signal);
}

}  // namespace herd
