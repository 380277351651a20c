// SPDX-License-Identifier: Apache-2.0
//
// Which file a budget's name means, and which files there are.
//
//   RATECOORD_DIR set    $RATECOORD_DIR/NAME.budget             state in $RATECOORD_DIR/state
//   /run/ratecoord is    /run/ratecoord/NAME.budget             state in /var/lib/ratecoord
//   else                 /dev/shm/ratecoord-UID-NAME.budget     state in $XDG_STATE_HOME/ratecoord
//                                                               (or ~/.local/state/ratecoord)
//
// PROMISE  One name means one file. A directory that cannot be used is an error, never a reason to
//          look elsewhere: a second place would be a second budget (G7).
// ERRORS   invalid_argument for a name, naming the rule it breaks; no directory is touched for it.
// SHARING  Reads the environment; do not change it at the same time.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/result.hpp>

namespace ratecoord::segment {

/// Longest name: with prefix and suffix a file name must stay within 255 bytes.
inline constexpr std::size_t name_bytes_max = 200;

/// Where a budget lives.
struct Place {
    std::string name;
    std::string directory;
    std::string file;             ///< in `directory`
    std::string state_directory;  ///< where its stops are saved

    std::string path() const { return directory + '/' + file; }
};

/// Why `name` cannot name a budget; empty if it can: 1 to 200 characters of [A-Za-z0-9._-], the
/// first a letter or a digit.
std::string name_refusal(std::string_view name);

/// The place of this process's budget of that name. Does not look whether it exists.
Result<Place> place_of(std::string_view name);

struct Found {
    Place place;
    uid_t uid = 0;  ///< owner of the file
};

/// Every budget that this process may know of, sorted by name, then by owner: root sees those of
/// /run/ratecoord and those of every user in /dev/shm.
Result<std::vector<Found>> list();

}  // namespace ratecoord::segment
