// SPDX-License-Identifier: Apache-2.0
//
// Help, written from the command table and from what each command declares.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ratectl/command.hpp"

namespace ratectl {

struct Topic {
    std::string_view name;
    std::string_view sentence;
    std::string_view text;
};
std::span<const Topic> help_topics();

std::string overview();
/// `parameters` include the options of every command.
std::string command_help(const Entry& entry, const Parameters& parameters);

}  // namespace ratectl
