// SPDX-License-Identifier: Apache-2.0
//
// Errors: what the environment did to us. A refusal is not an error (see decision.hpp).
//
// PROMISE  Every fallible call returns Result<T>; nothing throws out of the library.
// ERRORS   One enum for all layers. How to choose: does the caller act differently? If not, the
//          message says it. Codes are stable: never renumber.
// SHARING  Values.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace ratecoord {

enum class ErrorCode : int {
    no_such_budget = 1,  ///< no segment of that name: create it, or check RATECOORD_DIR
    permission_denied =
        2,                 ///< not the owner's or the group's: run as another user, or fix the mode
    version_mismatch = 3,  ///< another format, boot or time namespace: rebuild, or destroy it
    segment_corrupt = 4,   ///< damaged or foreign bytes: no permit is given; destroy and create
    segment_full = 5,      ///< every client slot is taken: close clients, or create it larger
    unknown_name = 6,      ///< no such limit, key dimension or operation in it
    invalid_argument = 7,  ///< the call's own values are wrong; the message names them
    deadline_exceeded = 8,  ///< the budget was too busy to decide in time; nothing was drawn
    detached = 9,           ///< the name vanished or was retired: open it again
    already_exists = 10,    ///< create met a segment of that name
    out_of_space = 11,      ///< the directory has no room for the segment
    busy = 12,              ///< another process is changing it now; the message names who
    refused = 13,           ///< a safety check said no; the message names the flag that overrules
    system = 14,            ///< the operating system failed; `system_errno` says how
};

struct Error {
    ErrorCode code = ErrorCode::system;
    int system_errno = 0;
    std::string message;  ///< one sentence: what could not be done and why
    std::string hint;     ///< what to do next; may be empty
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {},
                                  int system_errno = 0) {
    return tl::unexpected<Error>(Error{code, system_errno, std::move(message), std::move(hint)});
}

/// "no_such_budget" and so on: stable, for logs and JSON.
const char* name_of(ErrorCode code) noexcept;

}  // namespace ratecoord
