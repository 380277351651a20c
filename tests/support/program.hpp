// SPDX-License-Identifier: Apache-2.0
//
// A built program that a test starts, whose lines it reads, and which it may kill.
//
// PROMISE  Whatever is still alive when the object goes is killed.
// SHARING  One thread each; several may start programs at once.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every <unistd.h>

namespace ratecoord::testing {

class Program {
  public:
    Program(const std::string& name, std::vector<std::string> arguments) {
        const char* const directory = std::getenv("RATECOORD_BIN_DIR");
        std::string path = (directory != nullptr ? std::string(directory) + "/" : "") + name;
        std::vector<char*> argv{path.data()};
        for (auto& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        const int failed =
            ::posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        output_ = ends[0];
        if (failed != 0) {
            pid_ = -1;
            throw std::runtime_error("cannot start " + path);
        }
    }
    ~Program() {
        kill();
        ::close(output_);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Without its newline; nothing at the end of its output.
    std::optional<std::string> read_line() {
        for (;;) {
            const auto end = pending_.find('\n');
            if (end != std::string::npos) {
                auto line = pending_.substr(0, end);
                pending_.erase(0, end + 1);
                return line;
            }
            char part[4096];
            const auto got = ::read(output_, part, sizeof part);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return std::nullopt;
            pending_.append(part, static_cast<std::size_t>(got));
        }
    }

    /// Exit status, or 128 + the signal that ended it.
    int wait() {
        if (pid_ <= 0) return status_;
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    void send(int signal) const {
        if (pid_ > 0) ::kill(pid_, signal);
    }
    int kill() {
        if (pid_ > 0) ::kill(pid_, SIGKILL);
        return wait();
    }

  private:
    pid_t pid_ = -1;
    int output_ = -1;
    int status_ = -1;
    std::string pending_;
};

}  // namespace ratecoord::testing
