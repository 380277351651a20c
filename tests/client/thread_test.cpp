// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

/// Runs `work(i)` in `count` threads that start together.
template <class Work>
void together(int count, Work&& work) {
    std::atomic<int> waiting{count};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            --waiting;
            while (waiting > 0) std::this_thread::yield();
            work(i);
        });
    }
    for (auto& thread : threads) thread.join();
}

}  // namespace

TEST_CASE(
    "D16: sixteen threads of one client, one budget of 1,000: exactly 1,000 permits, each its "
    "own") {
    Scene scene;
    auto budget = scene.open({once("weight", 1'000)});
    auto cost = must(budget.cost({{"weight", 1}}));
    std::array<std::vector<std::uint64_t>, 16> ids;
    std::atomic<int> errors{0};
    together(16, [&](int i) {
        for (int tries = 0; tries < 200; ++tries) {
            const auto decision = budget.try_acquire(cost);
            if (!decision)
                ++errors;
            else if (*decision)
                ids[static_cast<std::size_t>(i)].push_back(decision->permit().id());
        }
    });
    std::vector<std::uint64_t> all;
    for (const auto& own : ids) all.insert(all.end(), own.begin(), own.end());
    std::sort(all.begin(), all.end());
    CHECK(errors == 0);
    CHECK(all.size() == 1'000);
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("every member may be called by any thread at once") {
    Scene scene;
    auto budget = scene.open({rolling("orders", 100'000, 1'000), per_account(fixed("trades", 100))},
                             {.reservations = 64, .full = true});
    auto cost = must(budget.cost({{"orders", 1}}));
    std::atomic<int> errors{0};
    const auto check = [&](const auto& result) {
        if (!result) ++errors;
    };
    together(8, [&](int i) {
        for (int round = 0; round < 40; ++round) {
            scene.clock.advance(core::millisecond_ns);
            auto decision = budget.try_acquire(cost);
            check(decision);
            if (decision && *decision) check(budget.observe(decision->permit(), Outcome::ok));
            Reservation reservation;
            check(budget.reserve(cost, scene.now() + 1s, reservation));
            check(round % 2 == 0 ? budget.cancel(reservation).has_value()
                                 : budget.confirm(reservation).has_value());
            switch (i) {
                case 0:
                    check(budget.pause(PauseKind::cooldown, scene.now() + 5ms));
                    break;
                case 1:
                    check(budget.snapshot());
                    break;
                case 2:
                    check(budget.cost({{"trades", 1, std::to_string(round % 8)}}));
                    break;
                case 3:
                    check(round % 2 == 0 ? budget.halt("x") : budget.unhalt("x"));
                    break;
                case 4:
                    check(budget.sweep());
                    break;
                case 5:
                    check(budget.observe_used({"trades", 1, "1"}, 1, scene.now()));
                    break;
                default:
                    break;
            }
        }
    });
    CHECK(errors == 0);
}

TEST_CASE("C26: threads that find the name gone at once re-attach once") {
    Scene scene;
    auto budget = scene.open({rolling("orders", 100'000, 1'000)});
    auto cost = must(budget.cost({{"orders", 1}}));
    for (int round = 0; round < 10; ++round) {
        std::filesystem::remove(scene.file());
        scene.advance(1'500ms);
        std::atomic<int> errors{0};
        together(8, [&](int) {
            if (!budget.try_acquire(cost)) ++errors;
        });
        CHECK(errors == 0);
        CHECK(must(budget.snapshot()).clients.size() == 1);
    }
}
