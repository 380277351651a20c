// SPDX-License-Identifier: Apache-2.0
#include "ratectl/diagnosis.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace ratectl;
using namespace std::chrono_literals;
using ratecoord::Snapshot;

namespace {

HostFacts healthy() {
    HostFacts facts;
    facts.directory = {.path = "/dev/shm",
                       .why = "RATECOORD_DIR is not set and /run/ratecoord does not exist",
                       .is_private = true,
                       .exists = true,
                       .is_directory = true,
                       .writable = true,
                       .mode = 01777,
                       .free_bytes = 1'000'000'000};
    facts.uid = 1000;
    facts.clock = {.known = true, .synchronised = true, .error_most_ns = 1'000'000};
    return facts;
}

Snapshot budget_with(ratecoord::LimitKind kind) {
    Snapshot snapshot;
    snapshot.name = "binance-spot";
    snapshot.capacity = {.clients = 4, .reservations = 8, .limits = 2, .keys = 2, .bytes = 5000};
    ratecoord::LimitSnapshot limit;
    limit.definition.kind = kind;
    limit.definition.slack = 250ms;
    snapshot.limits.push_back(limit);
    return snapshot;
}

ratecoord::ClientSnapshot client(bool alive, std::uint64_t waiting = 0) {
    ratecoord::ClientSnapshot made;
    made.alive = alive;
    made.waiting = waiting;
    return made;
}

// The finding of that check; a grade that no check has if there is none.
Finding find(const std::vector<Finding>& findings, const std::string& check) {
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [&](const auto& each) { return each.check == check; });
    return found == findings.end() ? Finding{Grade::fine, "absent", "", "", ""} : *found;
}

Grade grade_of(const HostFacts& facts, const std::string& check,
               const std::vector<Snapshot>& budgets = {}) {
    return find(diagnose_host(facts, budgets), check).grade;
}

}  // namespace

TEST_CASE("a healthy host needs no hand") {
    const auto findings = diagnose_host(healthy(), {budget_with(ratecoord::LimitKind::fixed)});
    for (const auto& finding : findings) {
        INFO(finding.text);
        CHECK(finding.grade == Grade::fine);
    }
    CHECK(findings.size() == 3);
}

TEST_CASE("every finding that needs a hand names the next step") {
    auto facts = healthy();
    facts.directory.writable = false;
    facts.directory.free_bytes = 0;
    facts.removes_ipc = true;
    facts.duplicates = {{"b", {"/run/ratecoord/b.budget", "/dev/shm/ratecoord-0-b.budget"}}};
    facts.holders_of_removed_files = {12, 13};
    facts.clock.synchronised = false;
    const auto findings = diagnose_host(facts, {budget_with(ratecoord::LimitKind::fixed)});
    CHECK(findings.size() == 6);
    for (const auto& finding : findings) {
        INFO(finding.check);
        CHECK(finding.grade == Grade::attention);
        CHECK_FALSE(finding.next.empty());
    }
}

TEST_CASE("a directory is judged by what can be done in it") {
    auto facts = healthy();
    facts.directory.exists = false;
    facts.directory.is_directory = false;
    CHECK(find(diagnose_host(facts, {}), "directory").next == "mkdir -m 0700 '/dev/shm'");
    CHECK(find(diagnose_host(facts, {}), "space").check == "absent");
    facts = healthy();
    facts.directory.mode = 0777;
    CHECK(grade_of(facts, "directory") == Grade::attention);
    facts.directory.mode = 0770;
    CHECK(grade_of(facts, "directory") == Grade::fine);
}

TEST_CASE("space is measured by the largest budget there is") {
    auto facts = healthy();
    facts.directory.free_bytes = 5000;
    CHECK(grade_of(facts, "space", {budget_with(ratecoord::LimitKind::fixed)}) == Grade::fine);
    facts.directory.free_bytes = 4999;
    CHECK(grade_of(facts, "space", {budget_with(ratecoord::LimitKind::fixed)}) == Grade::attention);
}

TEST_CASE("logind matters to regular users in /dev/shm only") {
    auto facts = healthy();
    CHECK(find(diagnose_host(facts, {}), "logout").check == "absent");
    facts.removes_ipc = true;
    CHECK(grade_of(facts, "logout") == Grade::attention);
    facts.uid = 0;
    CHECK(grade_of(facts, "logout") == Grade::fine);
    facts.uid = 1000;
    facts.directory.is_private = false;
    CHECK(find(diagnose_host(facts, {}), "logout").check == "absent");
}

TEST_CASE("the last RemoveIPC= counts, and its default is yes") {
    CHECK(read_remove_ipc({""}));
    CHECK(read_remove_ipc({"[Login]\n#RemoveIPC=no\n"}));
    CHECK_FALSE(read_remove_ipc({"[Login]\nRemoveIPC=no\n"}));
    CHECK_FALSE(read_remove_ipc({"[Login]\nRemoveIPC = no\n"}));
    CHECK(read_remove_ipc({"RemoveIPC=no\n", "RemoveIPC=yes\n"}));
}

TEST_CASE("the clock matters where a fixed window does") {
    auto facts = healthy();
    const std::vector rolling{budget_with(ratecoord::LimitKind::rolling)};
    const std::vector fixed{budget_with(ratecoord::LimitKind::fixed)};
    facts.clock.synchronised = false;
    CHECK(grade_of(facts, "clock", rolling) == Grade::note);
    CHECK(grade_of(facts, "clock", fixed) == Grade::attention);
    facts.clock.synchronised = true;
    facts.clock.error_most_ns = 125'000'000;  // half the slack
    CHECK(grade_of(facts, "clock", fixed) == Grade::fine);
    facts.clock.error_most_ns = 125'000'001;
    CHECK(grade_of(facts, "clock", fixed) == Grade::attention);
    facts.clock.known = false;
    CHECK(grade_of(facts, "clock", fixed) == Grade::note);
}

TEST_CASE("more than one late reply in a hundred asks for more slack") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    budget.clients = {client(true)};
    budget.clients[0].replies = 1000;
    budget.clients[0].late_replies = 10;
    CHECK(find(diagnose_budget(budget), "replies").check == "absent");
    budget.clients[0].late_replies = 11;
    const auto finding = find(diagnose_budget(budget), "replies");
    CHECK(finding.grade == Grade::attention);
    CHECK_THAT(finding.next, Catch::Contains("slack"));
    budget.clients[0].replies = 99;  // too few to tell
    CHECK(find(diagnose_budget(budget), "replies").check == "absent");
}

TEST_CASE("dead clients need a hand where they left something behind") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    CHECK(find(diagnose_budget(budget), "clients").grade == Grade::fine);
    budget.clients = {client(true), client(false)};
    CHECK(find(diagnose_budget(budget), "clients").grade == Grade::note);
    budget.clients = {client(true), client(false, 2)};
    const auto finding = find(diagnose_budget(budget), "clients");
    CHECK(finding.grade == Grade::attention);
    CHECK(finding.next == "ratectl doctor binance-spot --sweep");
    CHECK(finding.budget == "binance-spot");
    budget.clients.assign(4, client(true));
    CHECK(find(diagnose_budget(budget), "clients").grade == Grade::attention);
}

TEST_CASE("a stop that is not on disk, and a halt, need a hand") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    CHECK(find(diagnose_budget(budget), "stops").grade == Grade::fine);
    budget.stops_saved = false;
    budget.halted = true;
    CHECK(find(diagnose_budget(budget), "stops").grade == Grade::attention);
    CHECK(find(diagnose_budget(budget), "halt").next == "ratectl unhalt binance-spot");
}
