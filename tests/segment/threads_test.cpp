// SPDX-License-Identifier: Apache-2.0
//
// The same templates under threads, which is what ThreadSanitizer can see: threads of one client,
// and several clients in one process.
#include <atomic>
#include <thread>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::create_ledger;
using testing::ScratchDirectory;

TEST_CASE("threads of one client and of others lose no commit, and readers see no mixture") {
    const ScratchDirectory scratch;
    constexpr core::Capacity capacity{.clients = 4, .reservations = 8, .limits = 16, .keys = 2};
    constexpr int draws = 3'000;
    std::vector<std::unique_ptr<Segment>> clients;
    clients.push_back(create_ledger(scratch.place(), capacity).value());
    clients.push_back(Segment::attach(scratch.place(), {.label = "second"}).value());
    std::atomic<bool> done{false};
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (std::uint16_t line = 0; line < 4; ++line) {
        threads.emplace_back([&, line] {
            for (int i = 0; i < draws; ++i) {
                if (!testing::draw(*clients[line % 2], line, 60 * core::second_ns).published) {
                    ++failures;
                }
            }
        });
    }
    std::thread reader([&] {
        while (!done) {
            const auto ledger = testing::read_ledger(clients[0]->view());
            if (!ledger || !ledger->adds_up) ++failures;
        }
    });
    for (auto& thread : threads) thread.join();
    done = true;
    reader.join();
    CHECK(failures == 0);
    const auto ledger = testing::read_ledger(clients[0]->view()).value();
    for (std::uint16_t line = 0; line < 4; ++line) CHECK(ledger.lines[line] == draws);
}

TEST_CASE("waiters are woken by the commit that raises the epoch") {
    const ScratchDirectory scratch;
    constexpr core::Capacity capacity{.clients = 4, .reservations = 8, .limits = 16, .keys = 2};
    const auto segment = create_ledger(scratch.place(), capacity).value();
    const auto other = Segment::attach(scratch.place(), {.label = "waiter"}).value();
    std::atomic<int> waiting{0};
    std::atomic<int> woken{0};
    std::vector<std::thread> waiters;
    for (int i = 0; i < 4; ++i) {
        waiters.emplace_back([&, i] {
            auto& own = i % 2 == 0 ? *segment : *other;
            const auto until = own.clock().boot() + 60 * core::second_ns;
            ++waiting;
            auto end = WaitEnd::slice;
            while (end == WaitEnd::slice) end = own.wait(0, until);
            if (end == WaitEnd::changed) ++woken;
        });
    }
    while (waiting < 4) std::this_thread::yield();
    REQUIRE(segment
                ->commit(core::far,
                         [](core::State& state, const core::Rules&, core::Instant) {
                             ++state.head->epoch;
                             return true;
                         })
                .published);
    for (auto& waiter : waiters) waiter.join();
    CHECK(woken == 4);
}
