// SPDX-License-Identifier: Apache-2.0
//
// The options that every command has.
#pragma once

#include <string>

#include "ratectl/parameters.hpp"

namespace ratectl {

/// --help and --version are declared too; the parser acts on them by itself.
struct SharedOptions {
    bool json = false;
    std::string colour = "auto";
    bool help = false;
    bool version = false;

    void declare(Parameters& parameters);
};

}  // namespace ratectl
