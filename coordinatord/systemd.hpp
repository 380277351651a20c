// SPDX-License-Identifier: Apache-2.0
//
// What systemd is told (sd_notify); nothing where it did not ask.
//
// SHARING  One thread.
#pragma once

#include <chrono>
#include <string>

namespace coordinatord::systemd {

void ready(const std::string& status);
void reloading();
void status(const std::string& text);
void stopping();
/// "I am alive."
void keep_alive();
/// How often keep_alive is wanted at the least; 0: never.
std::chrono::microseconds watchdog_interval();

}  // namespace coordinatord::systemd
