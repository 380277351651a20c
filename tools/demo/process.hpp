// SPDX-License-Identifier: Apache-2.0
//
// Child processes and the signals that end the demo.
//
// PROMISE  D1  A child dies with the demo (PR_SET_PDEATHSIG) and with its Process object.
//          D2  SIGINT, SIGTERM and SIGHUP become the exception Interrupted at the next wait, so
//              that everything that was started is ended and removed on the way out.
//          D3  Only processes started here are ever signalled, by their ids.
// SHARING  One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace demo {

class Interrupted : public std::exception {
  public:
    const char* what() const noexcept override { return "interrupted"; }
};

// Blocks the signals that end a program, and SIGCHLD, for as long as it lives.
class Signals {
  public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // Returns when a child has changed or the time has come. Throws Interrupted.
    void wait(std::int64_t until_boot_ns);

  private:
    int fd_ = -1;
};

struct Command {
    std::vector<std::string> arguments;    // the program's path first
    std::vector<std::string> environment;  // NAME=VALUE, added to ours
    std::string output_file;               // stdout
    std::string error_file;                // stderr
};

class Process {
  public:
    // Throws std::system_error.
    explicit Process(const Command& command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // The exit code, 128 + N for signal N; nothing while it runs.
    std::optional<int> poll();
    void terminate();

  private:
    pid_t pid_ = -1;
    std::optional<int> exit_code_;
};

// The directory of this program: the others are beside it.
std::string program_directory();

}  // namespace demo
