// SPDX-License-Identifier: Apache-2.0
//
// A dead venue, forty workers, three layers that each retry on their own.
#include <iostream>

#include "retry/order_stage.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

/// Each layer calls the one below as its request; the lowest one sends.
CallResult layer(StagePort& port, int depth, FunctionRef<Reply()> send) {
    const CallPolicy policy{.attempts = 4,
                            .within = 10min,
                            .backoff = {Jitter::full, 10ms, 100ms},
                            .kill_switch = [](const CallResult&) {}};
    return retry::call(port, cost_of(port), policy, [&](const Permit&) {
        if (depth == 1) return send();
        return layer(port, depth - 1, send).reply;
    });
}

std::size_t storm(int depth, Reply dead) {
    Stage stage;
    std::size_t sends = 0;
    for (std::uint64_t worker = 0; worker < 40; ++worker) {
        auto port = stage.port({fixed("weight", 1'000'000)}, worker);
        const auto result = layer(port, depth, [&] {
            ++sends;
            return dead;
        });
        CHECK_FALSE(result);
    }
    return sends;
}

}  // namespace

TEST_CASE("retry storm: forty workers and three layers send at most workers + retry budget") {
    for (int depth = 1; depth <= 3; ++depth) {
        const auto timeouts = storm(depth, failed_reply(Phase::wait));
        const auto errors = storm(depth, status(503));
        std::cout << "retry storm, 40 workers, " << depth << " layers of 4 attempts: " << timeouts
                  << " sends at a silent venue, " << errors << " at one that answers 503; "
                  << 40 * (depth == 1   ? 4
                           : depth == 2 ? 16
                                        : 64)
                  << " without the budget\n";
        CHECK(timeouts <= 40 + retry_units::full / retry_units::retry_after_timeout);
        CHECK(errors <= 40 + retry_units::full / retry_units::retry);
        CHECK(timeouts >= 40);
    }
}

TEST_CASE("a storm leaves the host able to retry again once the venue answers") {
    Stage stage;
    auto port = stage.port();
    while (must(port.spend_retry_units(retry_units::retry))) {
    }
    Script well(port, {{200}});
    for (int i = 0; i < 5; ++i) REQUIRE(retry::call(port, cost_of(port), {}, well));
    CHECK(retry_units_left(port) == 5);
    Script one_failure(port, {{503}, {200}});
    CHECK(retry::call(port, cost_of(port), {}, one_failure).sends == 2);
    CHECK(retry_units_left(port) == 5);
}
