// SPDX-License-Identifier: Apache-2.0
//
// What coordinatord.toml says.
//
// PROMISE  All that is wrong is found in one reading, each with file, line and reason; a Config is
//          returned only if there was nothing. Every profile it names has been read and checked, with
//          the file's own limits laid over it.
// SHARING  Values.
// SOURCE   coordinatord.toml(5).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ratecoord/budget.hpp>
#include <ratecoord/profile.hpp>

#include "venue/finding.hpp"

namespace coordinatord {

struct BudgetConfig {
    std::string name;
    ratecoord::Profile profile;
    ratecoord::OpenOptions options;  ///< for the day it has to be created
};

struct HookConfig {
    std::string name;
    std::vector<std::string> on;       ///< event kinds; empty: all
    std::vector<std::string> budgets;  ///< empty: all
    std::vector<std::string> command;  ///< program and arguments; the event is JSON on its stdin
    std::string url;                   ///< or where the same JSON is POSTed
    std::chrono::nanoseconds timeout = std::chrono::seconds(10);
    std::uint32_t most =
        30;  ///< events per window; what is beyond is counted and told with the next
    std::chrono::nanoseconds window = std::chrono::minutes(1);
};

struct ListenConfig {
    std::string host;  ///< a loopback address, or any with a token; empty: no TCP
    std::uint16_t port = 0;
    std::string socket;  ///< path of a unix socket; empty: none
    std::string token;   ///< contents of token_file; empty: none is asked for

    bool is_off() const noexcept { return host.empty() && socket.empty(); }
    bool operator==(const ListenConfig&) const = default;
};

struct WatchConfig {
    std::uint32_t outside_percent = 10;   ///< outside use of a window that is told
    std::uint32_t calendar_percent = 80;  ///< reservations in use that are told
    bool clock = true;                    ///< whether an unsynchronised clock is told
};

struct Config {
    std::string file;
    std::string directory;  ///< of the segments; empty: where the library looks by itself
    std::string group;      ///< of directory and segments; empty: this user alone
    std::chrono::nanoseconds interval = std::chrono::seconds(1);
    ListenConfig listen;
    WatchConfig watch;
    std::vector<BudgetConfig> budgets;
    std::vector<HookConfig> hooks;
};

/// Nothing where `findings` says why.
std::optional<Config> read_config(const std::string& file, ratecoord::venue::Findings& findings);
std::optional<Config> parse_config(const std::string& text, const std::string& file,
                                   ratecoord::venue::Findings& findings);

}  // namespace coordinatord
