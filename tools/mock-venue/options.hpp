// SPDX-License-Identifier: Apache-2.0
//
// The command line of mock-venue.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "mock-venue/venue.hpp"

namespace mock_venue {

struct Options {
    std::uint16_t port = 0;  // 0: any free one
    std::string port_file;
    std::string log_file;
    Nanos run_for = std::chrono::seconds{600};
    VenueRules rules;
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

}  // namespace mock_venue
