// SPDX-License-Identifier: Apache-2.0
//
// Replies as venues send them, and what a profile makes of each, in one line:
//
//     pause key:account 7s retry-after; orders-10s 71 used; signal orders-10s-exceeded
//
// The parts that are empty (wait, counts, refunds, flags, signal) are left out.
#pragma once

#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ratecoord/profile.hpp>
#include <ratecoord/reply.hpp>

namespace ratecoord::testing {

/// 2030-01-01T00:00:00Z, the instant the payloads are told around.
inline constexpr std::chrono::milliseconds payload_epoch{1893456000000};

struct Payload {
    std::string block;      ///< where it is from: "1.3", "B16"
    std::string operation;  ///< empty: not known
    int status = 0;         ///< 0: a WebSocket frame
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    std::string expected = {};
    std::chrono::milliseconds received{0};  ///< after payload_epoch
};

/// A profile of this checkout.
Profile profile_of(std::string_view name);

std::string meaning_of(const Profile& profile, const Payload& payload);
void check(const Profile& profile, std::initializer_list<Payload> payloads);

/// "weight 250, raw 1" of a call; the error's sentence where it cannot be priced.
std::string cost_of(const Profile& profile, std::string_view operation,
                    std::initializer_list<Argument> arguments = {});

}  // namespace ratecoord::testing
