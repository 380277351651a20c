// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace ratecoord::testing {

namespace {

constexpr int hangs_after_ms = 60'000;

int become(const std::vector<std::string>& arguments, const std::string& kind, int slave) {
    ::setsid();
    ::ioctl(slave, TIOCSCTTY, 0);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(slave, fd);
    ::setenv("TERM", kind.c_str(), 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    for (const char* name : {"LINES", "COLUMNS", "NO_COLOR"}) ::unsetenv(name);
    const auto program = std::string(std::getenv("RATECOORD_BIN_DIR")) + "/ratectl";
    std::vector<char*> words{const_cast<char*>("ratectl")};
    for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(program.c_str(), words.data());
    return 96;
}

}  // namespace

Terminal::Terminal(const std::vector<std::string>& arguments, const std::string& kind) {
    winsize size{24, 80, 0, 0};
    if (::openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) {
        throw std::runtime_error("no terminal could be made");
    }
    ::fcntl(master_, F_SETFD, FD_CLOEXEC);
    child_ = ChildProcess([&] { return become(arguments, kind, slave_); });
}

Terminal::~Terminal() {
    child_.end();
    ::close(master_);
    ::close(slave_);
}

void Terminal::type(const std::string& keys) const {
    if (::write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
        throw std::runtime_error("the terminal took no keys");
    }
}

void Terminal::resize(unsigned short lines, unsigned short columns) const {
    winsize size{lines, columns, 0, 0};
    ::ioctl(master_, TIOCSWINSZ, &size);
}

bool Terminal::read_some(int timeout_ms) {
    pollfd ready{master_, POLLIN, 0};
    if (::poll(&ready, 1, timeout_ms) <= 0) return false;
    std::array<char, 4096> buffer{};
    const auto count = ::read(master_, buffer.data(), buffer.size());
    if (count <= 0) return false;
    written_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

void Terminal::expect(const std::string& text) {
    const auto hangs_at =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(hangs_after_ms);
    while (true) {
        const auto found = written_.find(text, seen_);
        if (found != std::string::npos) {
            seen_ = found + text.size();
            return;
        }
        const bool hangs = std::chrono::steady_clock::now() > hangs_at;
        if (hangs || !read_some(hangs_after_ms)) {
            throw std::runtime_error("'" + text + "' did not come; written: " + written_);
        }
    }
}

int Terminal::wait() {
    const int status = child_.wait();
    while (read_some(0)) {
    }
    return status;
}

termios Terminal::mode() const {
    termios mode{};
    ::tcgetattr(slave_, &mode);
    return mode;
}

}  // namespace ratecoord::testing
