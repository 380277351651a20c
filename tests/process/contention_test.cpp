// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "process/crowd.hpp"
#include "segment/clock.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE(
    "G1: twelve processes with mixed costs: no window of either limit gets more than its quota") {
    ScratchDirectory directory;
    Shared<PermitLog> log;
    auto weight = fixed("weight", 400, 1s);
    weight.slack = 50ms;
    auto orders = rolling("orders", 120, 20, 1s);
    orders.slack = 50ms;
    Crowd crowd(12, {weight, orders}, {.full = true}, [&](Budget& budget, int member) {
        for (int call = 0; call < 40; ++call) {
            const std::uint32_t units = 1u + static_cast<std::uint32_t>(member * 7 + call) % 9;
            auto cost = must(budget.cost({{"weight", units}, {"orders", 1}}));
            const auto decision = must(budget.acquire(cost, 2min));
            if (!decision) return 1;
            log->add(decision.permit(), units, member);
        }
        return 0;
    });
    REQUIRE(crowd.all_arrived());
    crowd.open();
    CHECK(crowd.join() == 0);

    auto lines = log->sorted();
    REQUIRE(lines.size() == 480);
    CHECK(same_id_twice(lines) == 0);
    int astray = 0;
    const auto offset = segment::SystemClock::instance().utc_offset();
    CHECK(most_in_aligned_windows(lines, core::second_ns, offset, astray) <= 400);
    CHECK(astray == 0);
    for (auto& line : lines) line.units = 1;
    CHECK(most_in_any_window(lines, core::second_ns, 50 * core::millisecond_ns) <= 120);
    CHECK(stale(lines) == 0);
}

TEST_CASE("D16: sixteen processes of eight threads, one budget of 1,000: exactly 1,000 permits") {
    ScratchDirectory directory;
    Shared<PermitLog> log;
    Shared<std::atomic<int>> errors;
    Crowd crowd(16, {once("weight", 1'000)}, {.full = true}, [&](Budget& budget, int member) {
        const auto cost = must(budget.cost({{"weight", 1}}));
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&] {
                for (int tries = 0; tries < 25; ++tries) {
                    const auto decision = patiently([&] { return budget.try_acquire(cost); });
                    if (!decision)
                        ++*errors;
                    else if (*decision)
                        log->add(decision->permit(), 1, member);
                }
            });
        }
        for (auto& thread : threads) thread.join();
        return 0;
    });
    REQUIRE(crowd.all_arrived());
    crowd.open();
    CHECK(crowd.join() == 0);
    CHECK(*errors == 0);
    CHECK(log->next == 1'000);
    CHECK(same_id_twice(log->sorted()) == 0);
}

TEST_CASE("C02: fifty processes open one name at once: one segment, one budget") {
    for (int round = 0; round < 5; ++round) {
        ScratchDirectory directory;
        struct Answers {
            std::array<std::array<char, 33>, 50> ids{};
            std::atomic<int> granted{0};
        };
        Shared<Answers> answers;
        Gate gate;
        Gate done;
        std::vector<ChildProcess> children;
        for (std::size_t i = 0; i < 50; ++i) {
            children.emplace_back([&, i] {
                gate.arrive();
                auto budget = must(Budget::open("budget", {once("weight", 30)}, {.full = true}));
                const auto id = must(budget.snapshot()).segment_id;
                std::copy(id.begin(), id.end(), answers->ids[i].begin());
                if (try_patiently(budget, must(budget.cost({{"weight", 1}})))) ++answers->granted;
                done.arrive();
                return 0;
            });
        }
        REQUIRE(gate.wait_for(50));
        gate.open();
        REQUIRE(done.wait_for(50));
        CHECK(must(read_snapshot("budget")).clients.size() == 50);
        done.open();
        for (auto& child : children) CHECK(child.wait() == 0);
        for (const auto& id : answers->ids) CHECK(id == answers->ids[0]);
        CHECK(answers->granted == 30);
        const auto journal = must(read_journal("budget", 100));
        CHECK(std::count_if(journal.begin(), journal.end(),
                            [](const auto& entry) { return entry.kind == "created"; }) == 1);
    }
}

TEST_CASE("A04: killed and started again, processes get what is left and not a full budget") {
    ScratchDirectory directory;
    const std::vector limits = {once("weight", 600)};
    const auto run = [&](int calls, bool die) {
        Shared<std::atomic<int>> granted;
        Gate spent;
        Crowd crowd(4, limits, {.full = true}, [&](Budget& budget, int member) {
            auto cost = must(budget.cost({{"weight", 1}}));
            for (int call = 0; call < calls + (member == 0 ? 2 : 0); ++call) {
                if (try_patiently(budget, cost)) ++*granted;
            }
            if (die) spent.arrive();
            return 0;
        });
        crowd.open();
        if (die) {
            REQUIRE(spent.wait_for(4));
            for (std::size_t i = 0; i < crowd.size(); ++i) crowd[i].end();
        }
        crowd.join();
        return granted->load();
    };
    CHECK(run(137, true) == 550);
    CHECK(run(119, false) == 50);
    CHECK(run(10, false) == 0);
}

TEST_CASE(
    "A09: a busy process has what idle ones leave, and a fifth joins without breaking the sum") {
    ScratchDirectory directory;
    Shared<PermitLog> log;
    Crowd crowd(4, {once("weight", 1'000)}, {.full = true}, [&](Budget& budget, int member) {
        if (member != 0) return 0;
        auto cost = must(budget.cost({{"weight", 10}}));
        for (int call = 0; call < 95; ++call) {
            const auto decision = try_patiently(budget, cost);
            if (!decision) return 1;
            log->add(decision.permit(), 10, member);
        }
        return 0;
    });
    crowd.open();
    CHECK(crowd.join() == 0);
    auto fifth = must(Budget::attach("budget"));
    auto cost = must(fifth.cost({{"weight", 10}}));
    int granted = 0;
    while (try_patiently(fifth, cost)) ++granted;
    CHECK(granted == 5);
}

TEST_CASE(
    "G5: reservations of many processes are given in the order they came, whatever their cost") {
    ScratchDirectory directory;
    struct Line {
        std::atomic<int> turn{0};
        std::array<std::atomic<std::int64_t>, 20> at{};
    };
    Shared<Line> line;
    auto limit = rolling("orders", 200, 8, 2s);
    limit.slack = 1s;
    Crowd crowd(20, {limit}, {.full = true}, [&](Budget& budget, int member) {
        const auto units = 1u + static_cast<unsigned>(member * 5) % 8;
        auto cost = must(budget.cost({{"orders", units}}));
        while (line->turn != member) ::sched_yield();
        Reservation reservation;
        auto decision = reserve_patiently(budget, cost, BootClock::now() + 1min, reservation);
        ++line->turn;
        while (!decision && reservation.id() != 0) {
            budget.wait(reservation, BootTime::max());
            decision = confirm_patiently(budget, reservation);
        }
        if (!decision) return 1;
        line->at[static_cast<std::size_t>(member)] = PermitLog::count(decision.permit().at());
        return 0;
    });
    REQUIRE(crowd.all_arrived());
    crowd.open();
    CHECK(crowd.join() == 0);
    for (std::size_t i = 1; i < 20; ++i) CHECK(line->at[i] > line->at[i - 1]);
}
