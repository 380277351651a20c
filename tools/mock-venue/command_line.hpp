// SPDX-License-Identifier: Apache-2.0
//
// The options as they were written.
//
// CLI11 only collects text here. What it means is read afterwards (options.cpp), so that every
// message names the option, quotes the text and says why it cannot be used.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mock_venue {

// What the user wrote, or the default; nothing where the preset has a say.
struct RawOptions {
    std::string port = "0";
    std::string port_file;
    std::string log_file;
    std::string run_for = "600";
    std::string preset;
    std::vector<std::string> limits;
    std::vector<std::string> routes;
    std::vector<std::string> injections;
    std::optional<std::string> ban_after;
    std::optional<std::string> ban_base;
    std::optional<std::string> ban_max;
    std::optional<std::string> ban_forget;
    std::optional<std::string> ban_grace;
    std::optional<std::string> ban_extends;
    std::optional<std::string> ban_status;
    std::optional<std::string> count_rejected;
    std::optional<std::string> retry_after;
    std::string latency = "0s";
    std::string slow_order;
    std::string lose_answer = "0";
    std::string lose_request = "0";
    std::string fail_order = "0";
    std::string duplicate_order = "0";
    std::string hide_order;
    std::string seed = "1";
    std::string time_scale = "1";
    std::string account_header = "X-Account";
    std::string label_header = "X-Worker";
};

// Throws UsageError or, for --help, HelpText.
RawOptions read_command_line(int argc, const char* const* argv);

}  // namespace mock_venue
