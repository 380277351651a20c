// SPDX-License-Identifier: Apache-2.0
//
// E26 with real processes: whatever keeps the kill switch from being read, nothing opens.
#include <atomic>
#include <filesystem>

#include <ratecoord/headers.hpp>
#include <ratecoord/orders.hpp>

#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

struct Counts {
    std::atomic<int> opened{0};
    std::atomic<int> cancelled{0};
    std::atomic<int> looked_up{0};
    std::atomic<int> told{0};  ///< refusals that name the halt, or that its state is not known
};

using Damage = std::function<void(const ScratchDirectory&)>;

void scribble(const ScratchDirectory& directory, std::uint64_t from, std::uint64_t to,
              std::uint64_t value) {
    const auto mapping = segment::map_file(directory.place(), segment::Access::read_write).value();
    for (std::uint64_t at = from; at < to; at += 8) {
        __atomic_store_n(segment::word_at(mapping.base(), at), value, __ATOMIC_RELAXED);
    }
}

segment::Geometry geometry_of(const ScratchDirectory& directory) {
    return segment::map_file(directory.place(), segment::Access::read_only).value().geometry;
}

/// Ten orders and ten cancels with a fallback.
int trade(Budget& budget, const Cost& cost, int member, Counts& counts) {
    FallbackBudget fallback({.between = 1ms});
    OrderLedger ledger = OrderLedger::in_memory();
    const OrderPolicy policy{.within = 5s, .ledger = &ledger, .fallback = &fallback};
    const auto count = [](std::atomic<int>& counter) {
        ++counter;
        Reply reply;
        reply.status = 200;
        return reply;
    };
    for (int i = 0; i < 10; ++i) {
        const Order order{.client_id = std::to_string(member) + "-" + std::to_string(i),
                          .cost = cost,
                          .lookup_cost = cost.with(Intent::read)};
        const auto placed = place_order(
            budget, order, policy,
            [&](const Permit&, std::string_view) { return count(counts.opened); },
            [&](const Permit&, std::string_view) { return Finding{}; });
        const bool is_told = placed.reason.find("halted") != std::string::npos ||
                             placed.reason.find("kill state unknown") != std::string::npos;
        if (placed.state == OrderState::refused && is_told) ++counts.told;
        const CallPolicy cancel{.within = 5s, .fallback = &fallback};
        if (!call(budget, cost.with(Intent::close), cancel,
                  [&](const Permit&) { return count(counts.cancelled); })) {
            return 2;
        }
        if (!call(budget, cost.with(Intent::read), cancel,
                  [&](const Permit&) { return count(counts.looked_up); })) {
            return 3;
        }
    }
    return 0;
}

void check_that_nothing_opens(const Damage& damage) {
    const ScratchDirectory directory;
    const Shared<Counts> counts;
    Gate gate;
    std::vector<ChildProcess> bots;
    for (int member = 0; member < 4; ++member) {
        bots.emplace_back([&, member] {
            const LimitDefinition weight = fixed("weight", 1'000'000);
            auto budget = Budget::open("budget", {weight}, {.clients = 16, .full = true});
            if (!budget) return 97;
            const auto cost = budget->cost({{"weight", 1}});
            gate.arrive();
            return cost ? trade(*budget, *cost, member, *counts) : 96;
        });
    }
    REQUIRE(gate.wait_for(4));
    {
        auto budget = must(Budget::attach("budget"));
        must(budget.halt("threshold reached"));
    }
    damage(directory);
    gate.open();
    for (auto& bot : bots) CHECK(bot.wait() == 0);
    CHECK(counts->opened == 0);
    CHECK(counts->told == 40);
    CHECK(counts->cancelled == 40);
    CHECK(counts->looked_up == 40);
}

}  // namespace

TEST_CASE("E26: a halt is seen by four processes at their next call; cancels and lookups pass") {
    check_that_nothing_opens([](const auto&) {});
}

TEST_CASE("E26: the segment is unlinked: the halt stands in the one that takes its place") {
    check_that_nothing_opens([](const ScratchDirectory& directory) {
        std::filesystem::remove(directory.place().path());
    });
}

TEST_CASE("E26: the whole directory is gone: nothing opens, cancels go by the fallback") {
    check_that_nothing_opens(
        [](const ScratchDirectory& directory) { std::filesystem::remove_all(directory.path()); });
}

TEST_CASE("E26: every published state is overwritten with sevens: nothing opens") {
    check_that_nothing_opens([](const ScratchDirectory& directory) {
        const auto g = geometry_of(directory);
        scribble(directory, g.states, g.total, 0x0707070707070707u);
    });
}

TEST_CASE("E26: the control block is overwritten, lock and all: nothing opens") {
    check_that_nothing_opens([](const ScratchDirectory& directory) {
        const auto g = geometry_of(directory);
        scribble(directory, g.control, g.clients, 0x0707070707070707u);
    });
}

TEST_CASE("E26: a new segment of another version and an unreadable saved halt: nothing opens") {
    check_that_nothing_opens([](const ScratchDirectory& directory) {
        const auto path = directory.place().path();
        std::filesystem::copy_file(path, path + ".new");
        std::filesystem::rename(path + ".new", path);
        // The name now leads to a file that is no segment of this build.
        std::filesystem::resize_file(path, 4'096);
        std::filesystem::resize_file(directory.path() + "/state/budget.stops", 10);
    });
}

TEST_CASE("E26: a halt that is owed and cannot be set keeps the next order back") {
    const ScratchDirectory directory;
    auto budget = must(Budget::open("budget", {fixed("weight", 1'000)}, {.full = true}));
    const auto cost = must(budget.cost({{"weight", 1}}));
    OrderLedger ledger = OrderLedger::in_memory();
    const OrderPolicy policy{.settle = 0s,
                             .visible_within = 0s,
                             .answer_within = 0s,
                             .backoff = {.base = 1ns, .cap = 1ns},
                             .ledger = &ledger};
    int sent = 0;
    Order order{.client_id = "m-1", .cost = cost, .lookup_cost = cost.with(Intent::read)};
    const auto send = [&](const Permit&, std::string_view) {
        ++sent;
        // Between the send and its reply the segment is destroyed.
        must(destroy("budget"));
        return failed_reply(Phase::wait);
    };
    const auto look_up = [](const Permit&, std::string_view) {
        return Finding{.reply = failed_reply(Phase::wait)};
    };
    const auto lost = place_order(budget, order, policy, send, look_up);
    CHECK(lost.state == OrderState::unknown);
    CHECK_FALSE(lost.halted);
    REQUIRE(lost.error);
    order.client_id = "m-2";
    const auto next = place_order(budget, order, policy, send, look_up);
    CHECK(next.state == OrderState::refused);
    CHECK(next.reason.starts_with("m-2: kill state unknown: "));
    CHECK(sent == 1);
}
