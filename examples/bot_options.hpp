// SPDX-License-Identifier: Apache-2.0
//
// What both bots are told on the command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace bot {

struct Options {
    std::string venue;    // http://host:port
    std::string profile;  // a name, or the path of a file
    std::string budget;   // empty: the profile's name
    std::uint64_t requests = 10;
    std::uint64_t orders = 10;
    std::uint64_t seed = 1;
    std::string log;     // empty: standard output
    std::string ledger;  // empty: orders are remembered as long as the process lives
    std::string symbol = "BTCUSDT";
    std::string account = "main";
    std::chrono::milliseconds timeout{10'000};
    bool is_full_start = false;
};

/// Nothing where the command line was answered or refused, with the exit status in `status`.
std::optional<Options> read_options(int argc, const char* const* argv, const std::string& program,
                                    int& status);

}  // namespace bot
