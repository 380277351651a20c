// SPDX-License-Identifier: Apache-2.0
#include "ratectl/failure.hpp"

#include <cerrno>
#include <string_view>
#include <utility>

namespace ratectl {

namespace {

using ratecoord::ErrorCode;

// Sentences of the library may end in a full stop; here another part follows.
std::string without_stop(std::string text) {
    while (text.ends_with('.')) text.pop_back();
    return text;
}

}  // namespace

ExitCode exit_code_of(ErrorCode code, int system_errno) {
    switch (code) {
        case ErrorCode::no_such_budget:
        case ErrorCode::detached:
            return ExitCode::no_such_budget;
        case ErrorCode::permission_denied:
            return ExitCode::permission;
        case ErrorCode::unknown_name:
            return ExitCode::unknown_name;
        case ErrorCode::invalid_argument:
            return ExitCode::usage;
        case ErrorCode::already_exists:
        case ErrorCode::refused:
            return ExitCode::refused;
        case ErrorCode::system:
            return system_errno == EACCES || system_errno == EPERM ? ExitCode::permission
                                                                   : ExitCode::failed;
        case ErrorCode::version_mismatch:
        case ErrorCode::segment_corrupt:
        case ErrorCode::segment_full:
        case ErrorCode::deadline_exceeded:
        case ErrorCode::out_of_space:
        case ErrorCode::busy:
            return ExitCode::failed;
    }
    return ExitCode::failed;
}

Failure failure_of(std::string what, const ratecoord::Error& error) {
    return {.what = std::move(what),
            .cause = without_stop(error.message),
            .hint = error.hint,
            .code = ratecoord::name_of(error.code),
            .exit = exit_code_of(error.code, error.system_errno),
            .retry_after_ns = std::nullopt};
}

Failure usage_failure(std::string what, std::string cause, std::string hint) {
    return {.what = std::move(what),
            .cause = without_stop(std::move(cause)),
            .hint = std::move(hint),
            .code = "usage",
            .exit = ExitCode::usage,
            .retry_after_ns = std::nullopt};
}

std::string printable(std::string_view text) {
    std::string shown(text);
    for (char& c : shown) {
        if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') c = '?';
    }
    return shown;
}

}  // namespace ratectl
