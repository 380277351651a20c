// SPDX-License-Identifier: Apache-2.0
//
// How many columns a picture may take.
#pragma once

#include <cstddef>

namespace ratectl {

/// COLUMNS if that is a usable number, else the width of the terminal on standard output, else 80;
/// from 40 to 400.
std::size_t terminal_width();

}  // namespace ratectl
