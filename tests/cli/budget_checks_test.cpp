// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_facts.hpp"
#include "support/catch.hpp"

using namespace ratectl;
using namespace ratectl::testing;

TEST_CASE("more than one late reply in a hundred asks for more slack") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    auto& clients = budget.snapshot.clients;
    clients = {client(true)};
    clients[0].replies = 1000;
    clients[0].late_replies = 10;
    CHECK(find_in(budget, "replies").check == "absent");
    clients[0].late_replies = 11;
    const auto finding = find_in(budget, "replies");
    CHECK(finding.grade == Grade::attention);
    CHECK_THAT(finding.next, Catch::Contains("slack"));
    clients[0].replies = 99;  // too few to tell
    CHECK(find_in(budget, "replies").check == "absent");
}

TEST_CASE("dead clients need a hand where they left something behind") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    auto& clients = budget.snapshot.clients;
    CHECK(find_in(budget, "clients").grade == Grade::fine);
    clients = {client(true), client(false)};
    CHECK(find_in(budget, "clients").grade == Grade::note);
    clients = {client(true), client(false, 2)};
    const auto finding = find_in(budget, "clients");
    CHECK(finding.grade == Grade::attention);
    CHECK(finding.next == "ratectl doctor binance-spot --sweep");
    CHECK(finding.budget == "binance-spot");
    clients.assign(4, client(true));
    CHECK(find_in(budget, "clients").grade == Grade::attention);
    budget.snapshot.capacity.clients = 20;
    clients.assign(17, client(true));
    CHECK(find_in(budget, "clients").grade == Grade::fine);
    clients.assign(18, client(true));
    CHECK(find_in(budget, "clients").grade == Grade::note);
}

TEST_CASE("a stopped client needs a hand where it holds reservations") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    auto host = healthy();
    host.processes[100] = {"bot", 'T'};
    budget.snapshot.clients = {client(true)};
    CHECK(find(look_at(budget, host), "stopped client").grade == Grade::note);
    budget.snapshot.clients = {client(true, 2)};
    const auto finding = find(look_at(budget, host), "stopped client");
    CHECK(finding.grade == Grade::attention);
    CHECK_THAT(finding.seen, Catch::Contains("md-gateway (pid 100) is stopped and holds 2"));
    CHECK_THAT(finding.next, Catch::Contains("kill -CONT 100"));
    SECTION("another pid namespace's pid 100 is another process") {
        budget.snapshot.clients[0].same_pid_namespace = false;
        CHECK(find(look_at(budget, host), "stopped client").check == "absent");
        host.held = {held_by(100, budget.snapshot.path, budget.file, true)};
        CHECK(find(look_at(budget, host), "stopped client").grade == Grade::note);
    }
}

TEST_CASE("a place that outlives its process is told, with who holds it") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    budget.snapshot.clients = {client(true, 0, 100), client(true, 0, 101)};
    auto host = healthy();
    host.processes[101] = {"bot", 'S'};
    host.held = {held_by(101, budget.snapshot.path, budget.file),
                 held_by(102, budget.snapshot.path, budget.file)};
    budget.snapshot.clients[0].uid = host.uid;
    auto finding = find(diagnose_budget(budget, host), "orphaned place");
    CHECK(finding.grade == Grade::attention);
    CHECK_THAT(finding.seen, Catch::Contains("(pid 100) is gone"));
    CHECK_THAT(finding.next, Catch::Contains("one of: 102"));
    host.processes[100] = {"bot", 'Z'};
    CHECK(find(diagnose_budget(budget, host), "orphaned place").grade == Grade::attention);
    host.processes.erase(100);
    budget.snapshot.clients[0].uid = host.uid + 1;  // may be hidden from us
    CHECK(find(diagnose_budget(budget, host), "orphaned place").check == "absent");
}

TEST_CASE("a stop that is not on disk needs a hand, and a halt is a note") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    CHECK(find_in(budget, "stops").grade == Grade::fine);
    budget.snapshot.stops_saved = false;
    budget.snapshot.halted = true;
    budget.snapshot.state = ratecoord::BudgetState::banned;
    CHECK(find_in(budget, "stops").grade == Grade::attention);
    CHECK(find_in(budget, "halt").grade == Grade::note);
    CHECK_THAT(find_in(budget, "halt").next, Catch::Contains("ratectl unhalt binance-spot"));
    CHECK(find_in(budget, "ban").grade == Grade::note);
}

TEST_CASE("G8: what keeps stops from being saved or read needs a hand") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    const auto judged = [&] { return find_in(budget, "state directory"); };
    CHECK(judged().check == "absent");
    SECTION("a damaged file") {
        budget.stops->problem = "/var/lib/ratecoord/binance-spot.stops is damaged";
        CHECK(find_in(budget, "stops").grade == Grade::attention);
    }
    SECTION("a damaged file that was kept") {
        budget.stops->set_aside = "/var/lib/ratecoord/binance-spot.stops.bad";
        CHECK(find_in(budget, "stops").grade == Grade::note);
    }
    SECTION("a directory that is not writable") {
        budget.state_directory.writable = false;
        CHECK(judged().grade == Grade::attention);
    }
    SECTION("a directory that cannot be made") {
        budget.state_directory.path = "/var/lib";
        CHECK(judged().check == "absent");
        budget.state_directory.writable = false;
        CHECK_THAT(judged().seen, Catch::Contains("/var/lib, where /var/lib/ratecoord would"));
    }
    SECTION("a full or read-only disk, or a file in its place") {
        budget.state_directory.free_files = 0;
        CHECK(judged().grade == Grade::attention);
        budget.state_directory.free_files.reset();
        CHECK(judged().check == "absent");
        budget.state_directory.free_bytes = 0;
        CHECK(judged().grade == Grade::attention);
        budget.state_directory.read_only = true;
        CHECK_THAT(judged().next, Catch::Contains("remount"));
        budget.state_directory.is_directory = false;
        CHECK_THAT(judged().seen, Catch::Contains("is not a directory"));
    }
    SECTION("another place than the budget recorded") {
        budget.snapshot.state_directory = "/srv/bot/state/ratecoord";
        CHECK_THAT(judged().next, Catch::Contains("XDG_STATE_HOME"));
    }
}

TEST_CASE("tables that fill up are told before they are full") {
    auto budget = budget_with(ratecoord::LimitKind::rolling);
    auto& snapshot = budget.snapshot;
    snapshot.reservations.resize(5);
    CHECK(find_in(budget, "calendar").check == "absent");
    snapshot.reservations.resize(6);  // of 8
    CHECK(find_in(budget, "calendar").grade == Grade::note);
    snapshot.reservations.resize(7);
    CHECK(find_in(budget, "calendar").grade == Grade::attention);
    snapshot.limits[0].definition.per = "account";
    snapshot.limits[0].cells.resize(2);
    snapshot.limits[0].cells[0].key = "main";
    CHECK(find_in(budget, "keys").check == "absent");
    snapshot.limits[0].cells[1].key = "second";
    CHECK(find_in(budget, "keys").grade == Grade::note);
}

TEST_CASE("outside use over a tenth of a limit, and holders that were overtaken, are notes") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    auto& snapshot = budget.snapshot;
    snapshot.limits[0].cells.resize(1);
    snapshot.limits[0].cells[0].outside = 600;
    CHECK(find_in(budget, "outside use").check == "absent");
    snapshot.limits[0].cells[0].outside = 601;
    CHECK(find_in(budget, "outside use").grade == Grade::note);
    CHECK_THAT(find_in(budget, "outside use").seen, Catch::Contains("601 of 6000 units of weight"));
    snapshot.counters = {{"lock_takeovers", 0}};
    CHECK(find_in(budget, "overtaken").check == "absent");
    snapshot.counters = {{"lock_takeovers", 3}};
    CHECK(find_in(budget, "overtaken").grade == Grade::note);
    CHECK_THAT(find_in(budget, "overtaken").seen, Catch::Contains("3 times"));
    budget.overtaken_at = 1'000'000'000;
    snapshot.now = 61'000'000'000;
    budget.overtaken = "from 'md-gateway' (pid 100)";
    CHECK_THAT(find_in(budget, "overtaken").seen,
               Catch::Contains("last 1m ago: from 'md-gateway' (pid 100)"));
}

TEST_CASE("a stepped clock is told where a fixed window depends on it") {
    for (const auto kind : {ratecoord::LimitKind::fixed, ratecoord::LimitKind::rolling}) {
        auto budget = budget_with(kind);
        budget.utc_offset_now = 125'000'000;
        CHECK(find_in(budget, "utc").check == "absent");
        budget.utc_offset_now = -125'000'001;
        const bool depends = kind == ratecoord::LimitKind::fixed;
        CHECK(find_in(budget, "utc").check == (depends ? "utc" : "absent"));
    }
}

TEST_CASE("a budget that cannot be read is told by its cause, with the way out") {
    const auto told = [](ratecoord::ErrorCode code, const std::string& message,
                         const std::string& hint = {}) {
        return diagnose_unreadable(
            {"b",
             "/run/ratecoord/b.budget",
             {.code = code, .system_errno = 0, .message = message, .hint = hint}});
    };
    using ratecoord::ErrorCode;
    CHECK(told(ErrorCode::permission_denied, "has mode 0644; a segment has 0600 or 0660").next ==
          "chmod 0600 '/run/ratecoord/b.budget'");
    CHECK_THAT(told(ErrorCode::permission_denied, "belongs to uid 7").next,
               Catch::Contains("ls -l"));
    CHECK_THAT(told(ErrorCode::version_mismatch, "format", "... --unusable").next,
               Catch::Contains("ratectl destroy b --unusable"));
    CHECK(told(ErrorCode::version_mismatch, "time", "run in one").next == "run in one");
    CHECK(told(ErrorCode::segment_corrupt, "noise").check == "file");
    CHECK_THAT(diagnose_unreadable({"b",
                                    "/run/ratecoord/b.budget",
                                    {.code = ErrorCode::segment_corrupt,
                                     .system_errno = 0,
                                     .message = "is a directory",
                                     .hint = {}},
                                    false})
                   .next,
               Catch::Contains("mv '/run/ratecoord/b.budget'"));
    CHECK_FALSE(told(ErrorCode::system, "odd").next.empty());
    CHECK(told(ErrorCode::system, "odd").budget == "b");
}
