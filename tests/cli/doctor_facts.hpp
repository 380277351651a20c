// SPDX-License-Identifier: Apache-2.0
//
// Made-up facts for the doctor: a host and a budget that need no hand, to be broken one by one.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ratectl/doctor/diagnosis.hpp"

namespace ratectl::testing {

using namespace std::chrono_literals;

inline HostFacts healthy() {
    HostFacts facts;
    facts.directory = {.path = "/dev/shm",
                       .why = "RATECOORD_DIR is not set and /run/ratecoord does not exist",
                       .is_private = true,
                       .exists = true,
                       .is_directory = true,
                       .writable = true,
                       .mode = 01777,
                       .free_bytes = 1'000'000'000,
                       .free_files = std::nullopt};
    facts.uid = 1000;
    facts.clock = {.known = true, .synchronised = true, .error_most_ns = 1'000'000, .keeper = {}};
    return facts;
}

inline BudgetFacts budget_with(ratecoord::LimitKind kind) {
    BudgetFacts budget;
    ratecoord::Snapshot& snapshot = budget.snapshot;
    snapshot.name = "binance-spot";
    snapshot.capacity = {.clients = 4, .reservations = 8, .limits = 2, .keys = 2, .bytes = 5000};
    ratecoord::LimitSnapshot limit;
    limit.definition.kind = kind;
    limit.definition.slack = 250ms;
    limit.definition.name = "weight";
    limit.definition.quota = 6000;
    snapshot.limits.push_back(limit);
    snapshot.path = "/run/ratecoord/binance-spot.budget";
    snapshot.state_directory = "/var/lib/ratecoord";
    budget.file = {1, 7};
    budget.stops = ratecoord::SavedStops{.directory = "/var/lib/ratecoord",
                                         .path = "/var/lib/ratecoord/binance-spot.stops",
                                         .exists = true,
                                         .problem = {},
                                         .set_aside = {}};
    budget.state_directory = {.path = "/var/lib/ratecoord",
                              .why = {},
                              .exists = true,
                              .is_directory = true,
                              .writable = true,
                              .mode = 0700,
                              .free_bytes = 1'000'000,
                              .free_files = std::nullopt};
    return budget;
}

inline ratecoord::ClientSnapshot client(bool alive, std::uint64_t waiting = 0, pid_t pid = 100) {
    ratecoord::ClientSnapshot made;
    made.label = "md-gateway";
    made.pid = pid;
    made.alive = alive;
    made.waiting = waiting;
    return made;
}

// The finding of that check; a grade that no check has if there is none.
inline Finding find(const std::vector<Finding>& findings, const std::string& check) {
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [&](const auto& each) { return each.check == check; });
    return found == findings.end() ? fine("absent", "") : *found;
}

inline Grade grade_of(const HostFacts& facts, const std::string& check,
                      const std::vector<BudgetFacts>& budgets = {}) {
    return find(diagnose_host(facts, budgets), check).grade;
}

// What is found in a budget on a healthy host where its clients run.
inline std::vector<Finding> look_at(const BudgetFacts& budget, HostFacts host = healthy()) {
    for (const auto& each : budget.snapshot.clients) {
        if (each.alive) host.processes.try_emplace(each.pid, ProcessFacts{"bot", 'S'});
    }
    return diagnose_budget(budget, host);
}

inline Finding find_in(const BudgetFacts& budget, const std::string& check) {
    return find(look_at(budget), check);
}

inline HeldFile held_by(pid_t pid, const std::string& path, FileId id, bool elsewhere = false) {
    return {.pid = pid,
            .budget = "binance-spot",
            .path = path,
            .id = id,
            .uid = std::nullopt,
            .removed = false,
            .elsewhere = elsewhere};
}

}  // namespace ratectl::testing
