// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/systemd.hpp"

#include <systemd/sd-daemon.h>
#include <time.h>

namespace coordinatord::systemd {
namespace {

// A notification that does not arrive is systemd's to notice: it would stop the service.
void tell(const std::string& text) {
    static_cast<void>(sd_notify(0, text.c_str()));
}

}  // namespace

void ready(const std::string& status) {
    tell("READY=1\nSTATUS=" + status);
}

void reloading() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto us = now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
    tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(us));
}

void status(const std::string& text) {
    tell("STATUS=" + text);
}

void stopping() {
    tell("STOPPING=1");
}

void keep_alive() {
    tell("WATCHDOG=1");
}

std::chrono::microseconds watchdog_interval() {
    std::uint64_t us = 0;
    if (sd_watchdog_enabled(0, &us) <= 0) return std::chrono::microseconds(0);
    return std::chrono::microseconds(us / 2);
}

}  // namespace coordinatord::systemd
