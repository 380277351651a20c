// SPDX-License-Identifier: Apache-2.0
#include "ratectl/signal_watch.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ratectl {

SignalWatch::SignalWatch(std::initializer_list<int> signals) {
    ::sigemptyset(&watched_);
    for (const int signal : signals) {
        struct sigaction now {};
        ::sigaction(signal, nullptr, &now);
        if (now.sa_handler != SIG_IGN) ::sigaddset(&watched_, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
    fd_ = ::signalfd(-1, &watched_, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd_ < 0) {
        const int cause = errno;
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        throw std::system_error(cause, std::generic_category(), "signalfd");
    }
}

SignalWatch::~SignalWatch() {
    // What stands in line was meant for the loop that ends now.
    while (next()) {
    }
    ::close(fd_);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> SignalWatch::next() {
    signalfd_siginfo info{};
    const auto count = ::read(fd_, &info, sizeof info);
    if (count != static_cast<ssize_t>(sizeof info)) return std::nullopt;
    return static_cast<int>(info.ssi_signo);
}

void SignalWatch::let_act(int signal) {
    struct sigaction before {};
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(signal, &plain, &before);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::raise(signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // it acts here
    ::pthread_sigmask(SIG_BLOCK, &only, nullptr);
    ::sigaction(signal, &before, nullptr);
}

}  // namespace ratectl
