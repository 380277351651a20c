// SPDX-License-Identifier: Apache-2.0
//
// The directory of the segments, made ready before the first bot comes.
//
// PROMISE  After prepare() the library of this process and of every bot finds the same place: the
//          directory of the configuration is made RATECOORD_DIR of this process; without one,
//          /run/ratecoord is made where this is root and RATECOORD_DIR is not set.
// SHARING  Changes the environment: before any thread.
#pragma once

#include <string>

#include <ratecoord/result.hpp>

#include "coordinatord/config.hpp"

namespace coordinatord {

/// The directory, to be used for everything of the daemon's own.
ratecoord::Result<std::string> prepare_place(const Config& config);

}  // namespace coordinatord
