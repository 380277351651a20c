// SPDX-License-Identifier: Apache-2.0
//
// A profile's text turned into the model.
//
// PROMISE  R1  All findings of a file are reported, not the first alone, each with file and line.
//              What can only be said of the whole is said once the parts are sound.
//          R2  A profile is returned only if there was no finding.
//          R3  `extends` merges tables and replaces everything else; a cycle is a finding.
// ERRORS   As findings. Only std::bad_alloc can be thrown.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "venue/document.hpp"
#include "venue/finding.hpp"
#include "venue/profile.hpp"

namespace ratecoord::venue {

struct ProfileText {
    std::string file;
    std::string text;
};

/// The text of the profile of that name, for `extends`; or why there is none.
struct FoundText {
    std::optional<ProfileText> found;
    std::string problem;
};
using FetchProfile = std::function<FoundText(std::string_view name)>;

std::optional<Profile> read_profile(const ProfileText& text, const FetchProfile& fetch,
                                    Findings& findings);
/// The same from a table that is part of another file, the first that `findings` knows.
std::optional<Profile> read_profile(Node table, const FetchProfile& fetch, Findings& findings);

}  // namespace ratecoord::venue
