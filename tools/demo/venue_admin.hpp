// SPDX-License-Identifier: Apache-2.0
//
// The mock venue's admin routes over HTTP.
#pragma once

#include <optional>
#include <string>

namespace demo {

// The body of a 200; nothing for any other answer, or none within a second.
std::optional<std::string> ask_venue(const std::string& method, const std::string& url);

}  // namespace demo
