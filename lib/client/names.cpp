// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/permit.hpp>
#include <ratecoord/result.hpp>
#include <ratecoord/snapshot.hpp>

#include "segment/clock.hpp"

namespace ratecoord {

BootTime BootClock::now() noexcept {
    return BootTime(duration(segment::SystemClock::instance().boot()));
}

const char* name_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::no_such_budget:
            return "no_such_budget";
        case ErrorCode::permission_denied:
            return "permission_denied";
        case ErrorCode::version_mismatch:
            return "version_mismatch";
        case ErrorCode::segment_corrupt:
            return "segment_corrupt";
        case ErrorCode::segment_full:
            return "segment_full";
        case ErrorCode::unknown_name:
            return "unknown_name";
        case ErrorCode::invalid_argument:
            return "invalid_argument";
        case ErrorCode::deadline_exceeded:
            return "deadline_exceeded";
        case ErrorCode::detached:
            return "detached";
        case ErrorCode::already_exists:
            return "already_exists";
        case ErrorCode::out_of_space:
            return "out_of_space";
        case ErrorCode::busy:
            return "busy";
        case ErrorCode::refused:
            return "refused";
        case ErrorCode::system:
            return "system";
    }
    return "unknown";
}

const char* name_of(Refusal refusal) noexcept {
    switch (refusal) {
        case Refusal::none:
            return "none";
        case Refusal::not_yet:
            return "not_yet";
        case Refusal::paused:
            return "paused";
        case Refusal::halted:
            return "halted";
        case Refusal::too_large:
            return "too_large";
        case Refusal::calendar_full:
            return "calendar_full";
        case Refusal::keys_full:
            return "keys_full";
    }
    return "unknown";
}

const char* name_of(BudgetState state) noexcept {
    switch (state) {
        case BudgetState::banned:
            return "banned";
        case BudgetState::paused:
            return "paused";
        case BudgetState::halted:
            return "halted";
        case BudgetState::probing:
            return "probing";
        case BudgetState::cold:
            return "cold";
        case BudgetState::empty:
            return "empty";
        case BudgetState::busy:
            return "busy";
        case BudgetState::idle:
            return "idle";
    }
    return "unknown";
}

}  // namespace ratecoord
