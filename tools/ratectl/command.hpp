// SPDX-License-Identifier: Apache-2.0
//
// One command, and the table of all: name, function, sentence. The table drives dispatch, help,
// completion and the suggestion of the nearest name.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ratectl/console.hpp"
#include "ratectl/failure.hpp"
#include "ratectl/parameters.hpp"

namespace ratectl {

class Command {
  public:
    Command() = default;
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    virtual ~Command() = default;

    /// Its arguments and options, read into its members.
    virtual void declare(Parameters& parameters) = 0;
    virtual Done run(Console& console) = 0;
};

struct Entry {
    std::string_view name;
    std::unique_ptr<Command> (*make)();
    std::string_view sentence;
};

std::span<const Entry> command_table();

/// nullptr if there is none of that name.
const Entry* find_command(std::string_view name);
std::vector<std::string_view> command_names();
/// The one of `names` that takes the fewest edits to reach; empty if none is near.
std::string_view nearest_of(std::string_view name, std::span<const std::string_view> names);

}  // namespace ratectl
