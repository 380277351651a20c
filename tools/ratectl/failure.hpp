// SPDX-License-Identifier: Apache-2.0
//
// How a command ends: its exit code, or what could not be done and why.
//
// PROMISE  One line "ratectl: cannot <what>: <cause>", then at most one line "hint: <next
//          command>". The exit codes are those of `ratectl help exit-codes`; never renumber.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <ratecoord/result.hpp>

namespace ratectl {

enum class ExitCode : int {
    done = 0,
    failed = 1,
    usage = 2,
    no_such_budget = 3,
    unknown_name = 4,
    permission = 5,
    refused = 6,      ///< by a safety check
    over_budget = 7,  ///< no permit: acquire, exec
    cannot_execute = 126,
    command_not_found = 127,
    internal = 70,
};

struct Failure {
    std::string what;   ///< completes "cannot ..."
    std::string cause;  ///< one sentence without a full stop
    std::string hint;   ///< may be empty
    std::string code;   ///< stable word for JSON: "no_such_budget"
    ExitCode exit = ExitCode::failed;
    std::optional<std::int64_t> retry_after_ns;
};

using Done = tl::expected<ExitCode, Failure>;

template <class T>
using Outcome = tl::expected<T, Failure>;

ExitCode exit_code_of(ratecoord::ErrorCode code, int system_errno);

/// The library's error about `what`.
Failure failure_of(std::string what, const ratecoord::Error& error);
/// The command line cannot be used.
Failure usage_failure(std::string what, std::string cause, std::string hint);

/// `text` for one line of a terminal: bytes that could steer it are shown as '?'.
std::string printable(std::string_view text);

}  // namespace ratectl
