// SPDX-License-Identifier: Apache-2.0
#include "ratectl/shared_options.hpp"

namespace ratectl {

void SharedOptions::declare(Parameters& parameters) {
    parameters.flag("--json", json, "print one JSON document instead of text");
    parameters.option("--color", "WHEN", colour,
                      "colour the text: auto (on a terminal), always or never");
    parameters.flag("-h,--help", help, "say how the command is used, and do nothing else");
    parameters.flag("--version", version, "print the version, and do nothing else");
}

}  // namespace ratectl
