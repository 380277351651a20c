// SPDX-License-Identifier: Apache-2.0
//
// The options as they were written. CLI11 only collects text here; options.cpp says what it means.
#pragma once

#include <string>
#include <vector>

namespace herd {

struct RawOptions {
    std::string venue;
    std::string workers = "1";
    std::string threads = "1";
    std::string calls;
    std::string duration;
    std::string start_at_window;
    std::string timeout = "60s";
    std::string reply_timeout = "10s";
    std::string run_for = "10m";
    std::string budget;
    std::string profile;
    std::vector<std::string> limits;
    std::string clients;
    std::string reservations;
    bool full = false;
    bool log_moves = false;
    bool no_budget = false;
    std::string retry;
    std::string base;
    std::string cap;
    bool obey_retry_after = false;
    std::string private_bucket;
    std::vector<std::string> costs;
    std::string mix;
    std::string mix_per = "call";
    std::vector<std::string> keys;
    std::string label_header;
    std::string cost_header;
    std::string key_header;
    bool cost_in_query = false;
    std::string seed = "1";
    std::string log;
    bool json = false;
};

// Throws UsageError or, for --help, HelpText (options.hpp).
RawOptions read_command_line(int argc, const char* const* argv);

}  // namespace herd
