// SPDX-License-Identifier: Apache-2.0
#include "simulation/event_queue.hpp"

#include <random>
#include <set>

#include "support/catch.hpp"

using simulation::EventQueue;

TEST_CASE("events of one instant come in order of the worker") {
    EventQueue<double> queue;
    for (const std::uint32_t worker : {3u, 0u, 2u, 1u}) queue.add(1.0, worker);
    for (std::uint32_t worker = 0; worker < 4; ++worker) {
        CHECK(queue.first().worker == worker);
        queue.drop_first();
    }
    CHECK(queue.empty());
}

TEST_CASE("the queue gives what an ordered set of pairs gives") {
    constexpr std::uint32_t workers = 50;
    std::mt19937 random(20261106);
    EventQueue<int> queue;
    std::set<std::pair<int, std::uint32_t>> reference;
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
        const int at = static_cast<int>(random() % 10);
        queue.add(at, worker);
        reference.insert({at, worker});
    }
    while (!reference.empty()) {
        const auto [at, worker] = *reference.begin();
        REQUIRE(queue.first().at == at);
        REQUIRE(queue.first().worker == worker);
        reference.erase(reference.begin());
        if (random() % 8 == 0) {
            queue.drop_first();
        } else {
            const int next = at + static_cast<int>(random() % 5);
            queue.move_first(next);
            reference.insert({next, worker});
        }
    }
    CHECK(queue.empty());
}
