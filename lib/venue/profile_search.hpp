// SPDX-License-Identifier: Apache-2.0
//
// Where profiles lie, and the check of one of them. The only part of this layer that reads files.
//
// PROMISE  F1  Directories in this order, the first file of a name wins: $RATECOORD_PROFILES alone
//              if set; else $XDG_CONFIG_HOME/ratecoord/profiles (~/.config), then
//              /etc/ratecoord/profiles.d, the installed ones, and the checkout's of a build tree.
//          F2  A name is [a-z0-9-]{1,48}; what contains '/' or ends in .toml is a path.
//          F3  Never more than document_bytes_max + 1 bytes of a file are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/profile.hpp>
#include <ratecoord/result.hpp>

#include "venue/finding.hpp"
#include "venue/profile_reader.hpp"

namespace ratecoord::venue {

std::vector<std::string> profile_directories();

Result<ProfileText> find_profile(std::string_view name_or_path);

/// How read_profile looks up what `file` extends: beside it first, then by F1.
FetchProfile fetch_beside(std::string file);

/// Everything that is wrong with a profile. `count` may exceed the list (one screen).
struct CheckReport {
    std::string file;
    std::vector<Finding> findings;
    std::size_t count = 0;
};
/// Error unknown_name where there is no such profile.
Result<CheckReport> check(std::string_view name_or_path);
CheckReport check_text(const ProfileText& text, const FetchProfile& fetch);

}  // namespace ratecoord::venue
