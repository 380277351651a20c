// SPDX-License-Identifier: Apache-2.0
//
// What it costs to tell a budget of a reply that libcurl brought.
#pragma once

#include "verdicts.hpp"

namespace bench {

void measure_observe(Verdicts& verdicts);

}  // namespace bench
