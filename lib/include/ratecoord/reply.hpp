// SPDX-License-Identifier: Apache-2.0
//
// What came back from the venue, and what the profile makes of it.
//
//     ratecoord::Reply reply{.status = 429, .headers = headers, .body = body};
//     auto advice = budget.observe(permit, reply);
//     if (advice && advice->action == ratecoord::Action::pause) ...
//
// PROMISE  A Reply copies nothing: it is views of what the HTTP library holds. An Advice says what
//          the reply means; what it means for other processes has been done when it is returned.
// UNITS    Instants of BootClock.
// SHARING  Values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <ratecoord/permit.hpp>

namespace ratecoord {

/// One field line of a reply. Names match without regard to case.
struct Header {
    std::string_view name;
    std::string_view value;
};

/// How the exchange ended. Only `not_sent` proves that the venue did nothing.
enum class Transport : std::uint8_t {
    replied,   ///< a status line was read
    not_sent,  ///< no byte of the request left: refused, no route, no name, TLS or proxy handshake
    maybe_sent,  ///< timeout, reset, end of file: the venue may have done it
};

struct Reply {
    int status = 0;  ///< 0 for a WebSocket frame, or where there was none
    std::span<const Header> headers = {};
    std::string_view body = {};
    Transport transport = Transport::replied;
    bool is_whole = true;       ///< false: the body was cut off or could not be decoded
    BootTime received_at = {};  ///< waits count from here; not set: the call of observe
};

/// What a reply means for this request, and for everybody.
enum class Action : std::uint8_t {
    ok,
    retry_later,      ///< this request, not before `until`; nothing is wrong with the budget
    pause,            ///< 429: everybody, or everybody with that key, stops until `until`
    ban,              ///< 418, 403 for rate: everybody stops until `until`, then one probe goes
    unknown_outcome,  ///< it may have been done: look it up, never resend
    rejected,         ///< understood and refused, not for rate
    auth,             ///< wrong key or signature: never loop
    overload,         ///< the venue is busy; not our count
};
const char* name_of(Action action) noexcept;

enum class Scope : std::uint8_t {
    request,  ///< nobody else is concerned
    key,      ///< those who draw on one key
    address,  ///< the whole host
};
const char* name_of(Scope scope) noexcept;

/// Where the length of a wait comes from.
enum class WaitSource : std::uint8_t {
    none,
    retry_after,  ///< the Retry-After header
    header,       ///< another header the profile names
    body,         ///< a field of the body
    text,         ///< a number inside a message
    fixed,        ///< the profile's own number for this signal
    fallback,     ///< nothing usable was named: the fallback policy
};
const char* name_of(WaitSource source) noexcept;

struct Advice {
    Action action = Action::ok;
    Scope scope = Scope::request;
    WaitSource source = WaitSource::none;
    /// A part of a compound request was done although the rest was refused: read the reply.
    bool partly_done = false;
    /// A venue's order id was taken already: an order with it exists, look it up.
    bool is_duplicate = false;
    /// pause, ban, retry_later, overload: not before this instant. Otherwise not set.
    BootTime until = {};
    /// Name of the profile's signal that decided; empty where the status alone did. Lives as long
    /// as the budget.
    std::string_view signal = {};
    std::uint64_t refunded = 0;  ///< units given back by the outcome
};

/// Whether sending the same read again, later, may help.
constexpr bool may_help_to_repeat(Action action) noexcept {
    return action == Action::retry_later || action == Action::pause ||
           action == Action::unknown_outcome || action == Action::overload;
}

/// What Budget::observe is told where there is no profile to read the reply.
constexpr Outcome outcome_of(Action action) noexcept {
    switch (action) {
        case Action::ok:
            return Outcome::ok;
        case Action::rejected:
            return Outcome::rejected;
        case Action::auth:
            return Outcome::auth;
        case Action::pause:
        case Action::ban:
            return Outcome::limited;
        case Action::retry_later:
        case Action::unknown_outcome:
        case Action::overload:
            break;
    }
    return Outcome::failed;
}

}  // namespace ratecoord
