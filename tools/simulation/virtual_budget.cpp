// SPDX-License-Identifier: Apache-2.0
#include "simulation/virtual_budget.hpp"

#include <utility>
#include <variant>

#include "core/change.hpp"
#include "core/plan.hpp"

namespace simulation {

namespace {

using namespace ratecoord::core;

// The last eighth of a calendar is kept for the critical lane.
Capacity capacity_for(std::uint32_t clients) {
    return {.clients = clients, .reservations = clients + clients / 7 + 8, .limits = 1, .keys = 1};
}

Request request_of(const Rules& rules, std::uint32_t client, std::uint32_t units) {
    Request request;
    request.count = 1;
    request.draws[0].units = units;
    // A limit that is counted per key has one key here: all workers use the same account.
    request.draws[0].key_low = rules.current[0].keyed ? 1 : 0;
    request.slot = static_cast<std::uint16_t>(client);
    request.deadline = far;
    return request;
}

}  // namespace

ratecoord::Result<VirtualBudget> VirtualBudget::create(const ratecoord::LimitDefinition& limit,
                                                       std::uint32_t clients) {
    const auto record = to_record(limit);
    if (const auto* error = std::get_if<DefinitionError>(&record)) {
        return ratecoord::fail(ratecoord::ErrorCode::invalid_argument, error->message);
    }
    return VirtualBudget(std::get<LimitRecord>(record), capacity_for(clients));
}

VirtualBudget::VirtualBudget(const LimitRecord& record, const Capacity& capacity)
    : cells_(capacity.cells()),
      keys_(capacity.keys),
      entries_(capacity.reservations),
      workspace_(capacity) {
    rules_.current.push_back(compile(record));
    rules_.previous.resize(1);
    auto view = state();
    ratecoord::core::create(view, rules_, 1, Creation{.full = true});
}

State VirtualBudget::state() {
    return {
        .head = &head_, .cell_storage = cells_, .key_storage = keys_, .entry_storage = entries_};
}

Answer VirtualBudget::reserve(std::uint32_t client, std::uint32_t units, Instant now) {
    auto view = state();
    auto request = request_of(rules_, client, units);
    return ratecoord::core::reserve(view, rules_, workspace_, request, now);
}

Answer VirtualBudget::confirm(std::uint32_t client, std::uint64_t id, Instant now) {
    auto view = state();
    return ratecoord::core::confirm(view, rules_, id, static_cast<std::uint16_t>(client), 0, now);
}

}  // namespace simulation
