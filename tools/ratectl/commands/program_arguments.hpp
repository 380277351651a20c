// SPDX-License-Identifier: Apache-2.0
//
// What stands behind "--" on the command line of exec.
#pragma once

#include <string>
#include <vector>

namespace ratectl {

class TakesProgram {
  public:
    virtual ~TakesProgram() = default;
    /// The program and its arguments, untouched.
    virtual void take_program(std::vector<std::string> program) = 0;
};

}  // namespace ratectl
