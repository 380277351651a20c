// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/profile.hpp>
#include <ratecoord/reply.hpp>

namespace ratecoord {

const char* name_of(Action action) noexcept {
    switch (action) {
        case Action::ok:
            return "ok";
        case Action::retry_later:
            return "retry-later";
        case Action::pause:
            return "pause";
        case Action::ban:
            return "ban";
        case Action::unknown_outcome:
            return "unknown-outcome";
        case Action::rejected:
            return "rejected";
        case Action::auth:
            return "auth";
        case Action::overload:
            return "overload";
    }
    return "unknown";
}

const char* name_of(Scope scope) noexcept {
    switch (scope) {
        case Scope::request:
            return "request";
        case Scope::key:
            return "key";
        case Scope::address:
            return "address";
    }
    return "unknown";
}

const char* name_of(WaitSource source) noexcept {
    switch (source) {
        case WaitSource::none:
            return "none";
        case WaitSource::retry_after:
            return "retry-after";
        case WaitSource::header:
            return "header";
        case WaitSource::body:
            return "body";
        case WaitSource::text:
            return "text";
        case WaitSource::fixed:
            return "fixed";
        case WaitSource::fallback:
            return "fallback";
    }
    return "unknown";
}

const char* name_of(IdUniqueness uniqueness) noexcept {
    switch (uniqueness) {
        case IdUniqueness::unknown:
            return "unknown";
        case IdUniqueness::open:
            return "open";
        case IdUniqueness::always:
            return "always";
        case IdUniqueness::never:
            return "never";
    }
    return "unknown";
}

}  // namespace ratecoord
