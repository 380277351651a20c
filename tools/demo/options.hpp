// SPDX-License-Identifier: Apache-2.0
//
// The command line of ratecoord-demo.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace demo {

struct Options {
    std::vector<std::string> scenes;  // in order; never empty
    unsigned bans = 20;
    std::string json_file;  // empty: none
    std::string keep;       // directory for the logs; empty: they are removed
};

// The command line cannot be used. what() is the message without the program's name.
class UsageError : public std::runtime_error {
  public:
    UsageError(const std::string& message, std::string hint)
        : std::runtime_error(message), hint_(std::move(hint)) {}

    const std::string& hint() const { return hint_; }

  private:
    std::string hint_;
};

// The text that --help asked for; to be printed, and nothing else done.
struct HelpText {
    std::string text;
};

// Throws UsageError or, for --help, HelpText.
Options read_options(int argc, const char* const* argv);

}  // namespace demo
