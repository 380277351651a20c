// SPDX-License-Identifier: Apache-2.0
//
// Samples made by hand, for the tests of `top`.
#pragma once

#include <cstdint>
#include <string>

#include "ratectl/top/sample.hpp"

namespace ratecoord::testing {

inline constexpr std::int64_t second = 1'000'000'000;

/// Two budgets at `at`: "binance" is busy with two clients, of which md-gateway has drawn `units`
/// in half as many permits; "kraken" is banned for 90 minutes more and keyed.
inline ratectl::TopSample scene(std::int64_t at, std::uint64_t units) {
    ratectl::TopSample sample;
    sample.at = at;
    ratectl::WatchedBudget binance;
    binance.name = "binance";
    auto& busy = binance.snapshot;
    busy.now = at;
    busy.segment_id = "1";
    busy.state = BudgetState::busy;
    busy.retry_units = 485;
    for (const auto& [slot, label, pid] :
         {std::tuple{0U, "md-gateway", 4121}, {1U, "orders", 4177}}) {
        ClientSnapshot client;
        client.slot = slot;
        client.generation = 1;
        client.label = label;
        client.pid = pid;
        client.attached_at = at - (slot + 1) * 60 * second;
        busy.clients.push_back(client);
    }
    busy.clients[0].granted = units / 2;
    busy.clients[1].granted = 7;
    busy.clients[1].waiting = 3;
    busy.clients[1].refused = 2;
    LimitSnapshot weight;
    weight.definition = {.name = "weight", .quota = 6000, .window = std::chrono::minutes(1)};
    weight.sustained_per_second_milli = 100'000;
    weight.granted_units = units + 7;
    weight.drawn_by = {{0, "md-gateway", 4121, units / 2, units}, {1, "orders", 4177, 7, 7}};
    CellSnapshot cell;
    cell.lanes = {{Lane::normal, 6000 - units % 6000, 6000, units % 6000, 0}};
    cell.waiting = 3;
    weight.cells = {cell};
    busy.limits = {weight};
    binance.journal = {{1, at - 60 * second, "created", "ratectl", "1 limit"},
                       {2, at - 5 * second, "pause", "orders", "429"}};

    ratectl::WatchedBudget kraken;
    kraken.name = "kraken";
    auto& banned = kraken.snapshot;
    banned.now = at;
    banned.segment_id = "2";
    banned.state = BudgetState::banned;
    banned.retry_units = 500;
    banned.pause_until[static_cast<std::size_t>(PauseKind::ban)] = at + 5400 * second;
    LimitSnapshot orders;
    orders.definition = {.name = "orders", .quota = 50, .window = std::chrono::seconds(10)};
    orders.definition.per = "account";
    cell.key = "main";
    cell.lanes = {{Lane::normal, 0, 9, 9, 0}};
    orders.cells = {cell};
    banned.limits = {orders};
    kraken.journal = {{9, at - second, "ban", "bot", "418"}};

    sample.budgets = {binance, kraken};
    return sample;
}

}  // namespace ratecoord::testing
