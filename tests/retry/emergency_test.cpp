// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/emergency.hpp>

#include <map>
#include <thread>

#include "retry/order_stage.hpp"
#include "support/gate.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

CallResult done() {
    CallResult result;
    result.state = CallState::done;
    return result;
}

bool always(BootTime&) {
    return true;
}

}  // namespace

TEST_CASE(
    "E22: forty failures in four processes make one cancel-all a symbol, no ban, and all are "
    "through") {
    Stage stage;
    LimitDefinition weight = fixed("weight", 6'000);
    weight.reserve_percent = 10;
    LimitDefinition claim = fixed("cancel-all", 1, 10s);
    claim.kind = LimitKind::spacing;
    claim.per = "symbol";
    const std::vector limits{weight, claim};
    std::vector<StagePort> processes;
    for (std::uint64_t p = 0; p < 4; ++p) processes.push_back(stage.port(limits, p));
    std::map<std::string, int> cancels;
    std::vector<EmergencyActions> emergencies(4);
    std::uint64_t weight_at_venue = 0;
    // 80 % of the budget is used; ordinary calls then take what they can get.
    while (weight_at_venue < 4'800) {
        REQUIRE(must(processes[0].budget().try_acquire(cost_of(processes[0], 100))));
        weight_at_venue += 100;
    }
    while (must(processes[1].budget().try_acquire(cost_of(processes[1], 100)))) {
        weight_at_venue += 100;
    }
    const BootTime start = stage.now();
    int covered = 0;
    for (int order = 0; order < 40; ++order) {
        auto& port = processes[static_cast<std::size_t>(order) % 4];
        const std::string symbol = "SYM" + std::to_string(order / 4 % 5);
        const auto may_run = [&](BootTime& until) {
            const Cost cost = must(port.budget().cost({{"cancel-all", 1, symbol}}));
            const auto decision = must(port.budget().try_acquire(cost.with(Intent::close)));
            until = decision.retry_at();
            return decision.granted();
        };
        const auto cancel_all = [&] {
            const Cost cost = cost_of(port, 1, Intent::close).with(Lane::critical);
            return retry::call(port, cost, {.within = 60s}, [&](const Permit&) {
                ++cancels[symbol];
                ++weight_at_venue;
                return status(200);
            });
        };
        const auto result = emergencies[static_cast<std::size_t>(order) % 4].run(
            symbol, [&] { return stage.now(); }, may_run, cancel_all);
        if (result.how == EmergencyRun::covered) {
            ++covered;
            CHECK(result.covered_until > stage.now());
        } else {
            CHECK(result.call.state == CallState::done);
        }
    }
    CHECK(cancels.size() == 5);
    for (const auto& [symbol, count] : cancels) CHECK(count == 1);
    CHECK(covered >= 15);
    CHECK(weight_at_venue <= 6'000);
    CHECK(stage.since(start) < 60s);
}

TEST_CASE("E1: those who want the same at the same time share one run and its result") {
    EmergencyActions actions;
    std::atomic<int> waiting{0};
    std::atomic<int> runs{0};
    std::atomic<int> shared{0};
    std::atomic<int> done_with{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] {
            ++waiting;
            const auto result = actions.run(
                "BTCUSDT", [] { return BootTime(1s); }, always,
                [&] {
                    // Under way until everybody is at the door.
                    while (waiting < 8) std::this_thread::yield();
                    ++runs;
                    return done();
                });
            if (result.call.state == CallState::done) ++done_with;
            if (result.how == EmergencyRun::shared) ++shared;
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(runs == 1);
    CHECK(shared == 7);
    CHECK(done_with == 8);
}

TEST_CASE(
    "E2: a fresh result is good for everybody, an old one for nobody, and symbols are apart") {
    EmergencyActions actions(5s);
    BootTime now{100s};
    int runs = 0;
    const auto run = [&](std::string_view key) {
        return actions
            .run(
                key, [&] { return now; }, always,
                [&] {
                    ++runs;
                    return done();
                })
            .how;
    };
    CHECK(run("A") == EmergencyRun::run);
    CHECK(run("B") == EmergencyRun::run);
    now += 4s;
    CHECK(run("A") == EmergencyRun::shared);
    now += 1s;
    CHECK(run("A") == EmergencyRun::run);
    CHECK(runs == 3);
}

TEST_CASE(
    "E4: a failed action is run again by the next who wants it; one that throws is a failure") {
    EmergencyActions actions;
    int runs = 0;
    const auto fail_then = [&] {
        if (++runs == 1) throw std::runtime_error("no socket");
        CallResult result = done();
        if (runs == 2) result.state = CallState::exhausted;
        return result;
    };
    const auto run = [&] {
        return actions.run(
            "A", [] { return BootTime(1s); }, always, fail_then);
    };
    const auto thrown = run();
    CHECK(thrown.call.exception != nullptr);
    CHECK_FALSE(thrown.call);
    CHECK(run().call.state == CallState::exhausted);
    CHECK(run().call.state == CallState::done);
    CHECK(run().how == EmergencyRun::shared);
    CHECK(runs == 3);
}

TEST_CASE("E3: a host that cannot say whether somebody acts does not keep us from acting") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    auto cost = must(budget.cost({{"weight", 1}}));
    must(budget.halt("test"));  // refuses the claim for another reason than its spacing
    EmergencyActions actions;
    int runs = 0;
    const auto result = actions.run(budget, "A", &cost, [&] {
        ++runs;
        return done();
    });
    CHECK(result.how == EmergencyRun::run);
    CHECK(runs == 1);
}
