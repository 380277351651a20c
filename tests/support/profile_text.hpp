// SPDX-License-Identifier: Apache-2.0
//
// The text of a profile as small as a test needs it.
#pragma once

#include <string>
#include <string_view>

namespace ratecoord::testing {

/// The first six lines of every profile, closed by what the test adds.
inline std::string with_head(std::string_view rest) {
    return "schema = 1\nname = \"sample\"\ntitle = \"A sample\"\nas_of = 2026-07-21\n"
           "source = \"this test\"\nconfidence = \"A\"\n" +
           std::string(rest);
}

}  // namespace ratecoord::testing
