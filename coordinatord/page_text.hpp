// SPDX-License-Identifier: Apache-2.0
//
// The files of coordinatord/page/, compiled in.
//
// SHARING  Constants.
#pragma once

#include <string_view>

namespace coordinatord {

extern const std::string_view page_html;
extern const std::string_view page_js;
extern const std::string_view page_css;

}  // namespace coordinatord
