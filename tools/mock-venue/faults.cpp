// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/faults.hpp"

#include <string>

#include "mock-venue/option_text.hpp"

namespace mock_venue {

namespace {

unsigned read_status(std::string_view text) {
    const std::uint64_t status = read_number(text);
    if (status < 200 || status > 599) {
        throw InvalidText("the status " + std::string(text) + " is not between 200 and 599");
    }
    return static_cast<unsigned>(status);
}

bool read_flag(std::string_view text) {
    if (text != "0" && text != "1") {
        throw InvalidText("'" + std::string(text) + "' is neither 0 nor 1");
    }
    return text == "1";
}

void read_setting(Injection& injection, std::string_view text) {
    const auto [key, value] = split_pair(text, '=');
    if (key == "at") {
        injection.at = read_number(value);
        if (injection.at == 0U) throw InvalidText("requests are numbered from 1");
    } else if (key == "at_time") {
        injection.at_time = read_duration(value);
    } else if (key == "status") {
        injection.status = read_status(value);
    } else if (key == "retry_after") {
        injection.retry_after = read_duration(value);
    } else if (key == "count") {
        injection.count = read_number(value);
        if (injection.count == 0) throw InvalidText("count must be at least 1");
    } else if (key == "extends") {
        injection.extends = read_flag(value);
    } else {
        throw InvalidText("'" + std::string(key) +
                          "' is not at, at_time, status, retry_after, count or extends");
    }
}

}  // namespace

Injection read_injection(std::string_view text) {
    Injection injection;
    for (const std::string_view word : words(text)) read_setting(injection, word);
    if (injection.at.has_value() == injection.at_time.has_value()) {
        throw InvalidText("it needs either at=REQUEST_NUMBER or at_time=DURATION");
    }
    return injection;
}

FaultPlan::FaultPlan(const std::vector<Injection>& injections, Instant opened) : opened_(opened) {
    for (const Injection& injection : injections) {
        const std::uint64_t count = injection.retry_after ? 1 : injection.count;
        pending_.push_back({injection, count});
    }
}

std::optional<Fault> FaultPlan::meet(std::uint64_t n, Instant now) {
    for (Pending& pending : pending_) {
        const Injection& injection = pending.injection;
        const Instant due = injection.at_time ? opened_ + *injection.at_time : now;
        if (pending.left == 0 || due > now || (injection.at && n < *injection.at)) continue;
        --pending.left;
        Fault fault{injection.status, std::nullopt, std::nullopt, injection.extends};
        if (injection.retry_after) {
            fault.stop_from = due;
            fault.stop_until = due + *injection.retry_after;
        }
        return fault;
    }
    return std::nullopt;
}

OrderFate OrderFates::draw() {
    // All are drawn every time, so that one chance does not shift the sequence of another.
    OrderFate fate;
    fate.slow = happens(random_, chances_.slow);
    fate.request_lost = happens(random_, chances_.lose_request);
    fate.answer_lost = happens(random_, chances_.lose_answer);
    fate.failed = happens(later_random_, chances_.fail);
    fate.failed_applied = happens(later_random_, 500'000);
    fate.duplicated = happens(later_random_, chances_.duplicate);
    fate.hidden = happens(later_random_, chances_.hide);
    return fate;
}

}  // namespace mock_venue
