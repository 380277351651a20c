// SPDX-License-Identifier: Apache-2.0
//
// The whole of a herd: processes, budget, start, end, summary.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "herd/options.hpp"
#include "herd/summary.hpp"

namespace herd {

// The herd did not come to run. what() is the message without the program's name.
class RunError : public std::runtime_error {
  public:
    RunError(const std::string& message, std::string hint)
        : std::runtime_error(message), hint_(std::move(hint)) {}

    const std::string& hint() const { return hint_; }

  private:
    std::string hint_;
};

// Throws RunError.
Summary run_herd(const Options& options);

}  // namespace herd
