// SPDX-License-Identifier: Apache-2.0
//
// One POST to a webhook.
//
// PROMISE  http and https only; no redirect is followed, no proxy and no .netrc of the environment is
//          used. It ends within `timeout`, and about a second after `stop` became true.
// SHARING  Any thread that has SIGPIPE blocked.
// ERRORS   In the outcome; its text does not repeat the URL, which may be a secret.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "coordinatord/hook_command.hpp"

namespace coordinatord {

HookOutcome post_json(const std::string& url, const std::string& body,
                      std::chrono::nanoseconds timeout, const std::atomic<bool>& stop);

}  // namespace coordinatord
