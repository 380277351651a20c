// SPDX-License-Identifier: Apache-2.0
//
// One run of a hook's program.
//
// PROMISE  It gets the text on stdin, no other descriptor of ours, and a small environment. It leads a
//          process group: when its time is over, or `stop` becomes readable, the group gets SIGTERM,
//          and SIGKILL after a grace. Nothing it does or leaves undone keeps the caller longer than
//          timeout, grace and the kernel's own time to end a process.
// SHARING  Any thread that has SIGPIPE blocked.
// ERRORS   In the outcome.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace coordinatord {

enum class HookEnd { done, failed, timed_out, stopped, not_started };

struct HookOutcome {
    HookEnd end = HookEnd::done;
    std::string text;    ///< why it is not `done`
    std::string output;  ///< first line of what the program said, cut
};

struct HookRun {
    std::vector<std::string> command;  ///< program, an absolute path, and its arguments
    std::vector<std::string> environment;
    std::string input;
    std::chrono::nanoseconds timeout{};
    int stop = -1;  ///< readable when the daemon ends
};

inline constexpr std::chrono::seconds grace_of_timeout(2);
inline constexpr std::chrono::seconds grace_of_stop(1);

HookOutcome run_command(const HookRun& run);

}  // namespace coordinatord
