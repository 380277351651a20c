// SPDX-License-Identifier: Apache-2.0
//
// Limits in one line each, and results that must be there.
#pragma once

#include <chrono>
#include <string>

#include <ratecoord/budget.hpp>

#include "support/catch.hpp"

namespace ratecoord::testing {

using namespace std::chrono_literals;

inline LimitDefinition fixed(std::string name, std::uint64_t quota,
                             std::chrono::nanoseconds window = 1min) {
    LimitDefinition definition;
    definition.name = std::move(name);
    definition.kind = LimitKind::fixed;
    definition.quota = quota;
    definition.window = window;
    return definition;
}

inline LimitDefinition rolling(std::string name, std::uint64_t quota, std::uint64_t burst,
                               std::chrono::nanoseconds window = 10s) {
    LimitDefinition definition = fixed(std::move(name), quota, window);
    definition.kind = LimitKind::rolling;
    definition.burst = burst;
    return definition;
}

/// Exactly `units`, and practically no refill: the last unit of a full bucket is not to be had
/// before an hour, its slack, has passed.
inline LimitDefinition once(std::string name, std::uint64_t units) {
    LimitDefinition definition = fixed(std::move(name), units + 1, 365 * 24h);
    definition.kind = LimitKind::bucket;
    definition.burst = units + 1;
    definition.slack = 1h;
    return definition;
}

inline LimitDefinition per_account(LimitDefinition definition) {
    definition.per = "account";
    return definition;
}

/// Grants that can be had at once.
inline int drain(Budget& budget, const Cost& cost, int most = 100'000) {
    int granted = 0;
    while (granted < most && budget.try_acquire(cost).value()) ++granted;
    return granted;
}

/// The decision, or a test failure with the error's words.
template <class T>
T must(Result<T> result) {
    if (!result) FAIL(result.error().message);
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// What `call()` answers once the budget is not too busy to: on a host that is short of processors
/// that is an answer like any other, and nothing was drawn.
template <class Call>
auto patiently(Call&& call) {
    for (;;) {
        auto result = call();
        if (result || result.error().code != ErrorCode::deadline_exceeded) return result;
    }
}

inline Decision try_patiently(Budget& budget, const Cost& cost) {
    return must(patiently([&] { return budget.try_acquire(cost); }));
}

inline Decision reserve_patiently(Budget& budget, const Cost& cost, BootTime deadline,
                                  Reservation& reservation) {
    return must(patiently([&] { return budget.reserve(cost, deadline, reservation); }));
}

inline Decision confirm_patiently(Budget& budget, Reservation& reservation) {
    return must(patiently([&] { return budget.confirm(reservation); }));
}

}  // namespace ratecoord::testing
