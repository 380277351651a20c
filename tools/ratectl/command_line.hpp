// SPDX-License-Identifier: Apache-2.0
//
// From argv to one command, ready to run.
//
//     ratectl [--json] [--color WHEN] COMMAND [ARGUMENTS] [-- PROGRAM...]
//
// PROMISE  Options that every command has may stand before or after its name. What stands behind
//          "--" of exec is taken as it is.
// ERRORS   A usage Failure; the parser's own exceptions end here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ratectl/command.hpp"

namespace ratectl {

enum class ColourWhen { automatic, always, never };

/// What the command line asks for.
struct Request {
    std::string text;                  ///< to be printed, and nothing else done: --help, --version
    std::unique_ptr<Command> command;  ///< else this is to be run
    bool json = false;
    ColourWhen colour = ColourWhen::automatic;
};

/// `arguments` without the program's name. `wants_json` is set as soon as --json is seen, also
/// where the rest cannot be used: the failure is printed in that form.
Outcome<Request> read_command_line(const std::vector<std::string>& arguments, bool& wants_json);

}  // namespace ratectl
