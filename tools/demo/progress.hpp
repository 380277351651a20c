// SPDX-License-Identifier: Apache-2.0
//
// What is going on, on stderr: a line that changes on a terminal, a line every few seconds
// elsewhere.
#pragma once

#include <string>

#include "demo/stage.hpp"

namespace demo {

class Progress {
  public:
    void title(const std::string& text);
    void tick(double passed_s, const std::string& text);
    void done(const std::string& text);

    // Calls so far and how long, as most scenes want it.
    void calls(double passed_s, const VenueNow& now);

  private:
    double last_line_s_ = 0;
};

}  // namespace demo
