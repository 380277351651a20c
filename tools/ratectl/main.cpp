// SPDX-License-Identifier: Apache-2.0
//
// ratectl: shows and steers the budgets of this host. See docs/man/ratectl.1.adoc.
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "ratectl/run.hpp"

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return ratectl::run(arguments, std::cout, std::cerr, ::isatty(STDOUT_FILENO) == 1);
}
