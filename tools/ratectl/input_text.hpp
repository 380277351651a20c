// SPDX-License-Identifier: Apache-2.0
//
// What a command is given to read: a file, or standard input.
//
// PROMISE  Never more than `bytes_most` and one byte are held; what is longer is refused, not cut.
#pragma once

#include <cstddef>
#include <string>

#include "ratectl/failure.hpp"

namespace ratectl {

/// `path`: "-" is standard input. `what` completes "cannot ...".
Outcome<std::string> read_input(const std::string& what, const std::string& path,
                                std::size_t bytes_most);

}  // namespace ratectl
