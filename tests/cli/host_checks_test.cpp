// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/doctor_facts.hpp"
#include "ratectl/doctor/gather.hpp"
#include "ratectl/reports/doctor_report.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace ratectl;
using namespace ratectl::testing;

TEST_CASE("a healthy host needs no hand") {
    auto budget = budget_with(ratecoord::LimitKind::fixed);
    budget.snapshot.clients = {client(true)};
    auto findings = diagnose_host(healthy(), {budget});
    CHECK(findings.size() == 3);
    for (const auto& finding : look_at(budget)) findings.push_back(finding);
    CHECK(findings.size() == 5);
    for (const auto& finding : findings) {
        INFO(finding.seen);
        CHECK(finding.grade == Grade::fine);
    }
    CHECK(diagnose_places(healthy(), "").empty());
}

TEST_CASE("every finding that needs a hand says why and names the next step") {
    auto facts = healthy();
    facts.directory.writable = false;
    facts.directory.free_bytes = 0;
    facts.removes_ipc = true;
    facts.clock.synchronised = false;
    facts.files = {{"binance-spot", "/run/ratecoord/binance-spot.budget", {1, 7}, std::nullopt},
                   {"binance-spot", "/dev/shm/ratecoord-0-binance-spot.budget", {1, 8}, 0}};
    facts.held = {held_by(12, "/dev/shm/ratecoord-0-binance-spot.budget", {1, 9})};
    facts.held[0].removed = true;
    const auto budget = budget_with(ratecoord::LimitKind::fixed);
    auto findings = diagnose_host(facts, {budget});
    for (const auto& finding : diagnose_places(facts, "")) findings.push_back(finding);
    CHECK(findings.size() == 6);
    for (const auto& finding : findings) {
        INFO(finding.check);
        CHECK(finding.grade == Grade::attention);
        CHECK_FALSE(finding.why.empty());
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
    facts.directory.file_system = FileSystem::other;
    CHECK(grade_of(facts, "directory") == Grade::note);
    facts.directory.file_system = FileSystem::network;
    CHECK(grade_of(facts, "directory") == Grade::attention);
    facts = healthy();
    facts.directory.read_only = true;
    CHECK_THAT(find(diagnose_host(facts, {}), "directory").next, Catch::Contains("remount,rw"));
    facts = healthy();
    facts.directory.path = "here";
    CHECK_THAT(find(diagnose_host(facts, {}), "directory").next, Catch::Contains("RATECOORD_DIR"));
    facts = healthy();
    facts.listing_problem = "/dev/shm cannot be listed: Permission denied";
    CHECK_THAT(find(diagnose_host(facts, {}), "directory").seen, Catch::Contains("listed"));
}

TEST_CASE("space is measured by the largest budget there is") {
    auto facts = healthy();
    const std::vector budgets{budget_with(ratecoord::LimitKind::fixed)};
    facts.directory.free_bytes = 5000;
    CHECK(grade_of(facts, "space", budgets) == Grade::fine);
    facts.directory.free_bytes = 4999;
    CHECK(grade_of(facts, "space", budgets) == Grade::attention);
    facts.directory.free_bytes = 5000;
    facts.directory.free_files = 1;
    CHECK(grade_of(facts, "space", budgets) == Grade::fine);
    facts.directory.free_files = 0;
    CHECK(grade_of(facts, "space", budgets) == Grade::attention);
}

TEST_CASE("logind matters to regular users in /dev/shm only") {
    auto facts = healthy();
    CHECK(find(diagnose_host(facts, {}), "logout").check == "absent");
    facts.removes_ipc = true;
    CHECK(grade_of(facts, "logout") == Grade::attention);
    facts.lingers = true;
    CHECK(grade_of(facts, "logout") == Grade::fine);
    facts.lingers = false;
    facts.uid = 0;
    CHECK(grade_of(facts, "logout") == Grade::fine);
    facts.uid = 1000;
    facts.directory.path = "/dev/shm/mine";
    CHECK(grade_of(facts, "logout") == Grade::attention);
    facts.directory.path = "/run/ratecoord";
    CHECK(find(diagnose_host(facts, {}), "logout").check == "absent");
}

TEST_CASE("the last RemoveIPC= counts, and its default is what the shipped file shows") {
    CHECK(read_remove_ipc({""}));
    CHECK(read_remove_ipc({"[Login]\n#RemoveIPC=yes\n"}));
    CHECK_FALSE(read_remove_ipc({"[Login]\n#RemoveIPC=no\n"}));
    CHECK_FALSE(read_remove_ipc({"[Login]\nRemoveIPC=no\n#RemoveIPC=yes\n"}));
    CHECK_FALSE(read_remove_ipc({"[Login]\nRemoveIPC = no\n"}));
    CHECK(read_remove_ipc({"RemoveIPC=no\n", "RemoveIPC=yes\n"}));
    CHECK_FALSE(read_remove_ipc({"RemoveIPC=no\n", "#RemoveIPC=yes\n"}));
}

TEST_CASE("logind's files are read as systemd reads them") {
    const ratecoord::testing::ScratchDirectory scratch;
    const std::filesystem::path root = scratch.path();
    const auto write = [&](const std::string& path, const std::string& text) {
        std::filesystem::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    };
    write("etc/systemd/logind.conf", "[Login]\nRemoveIPC=yes\n");
    CHECK_FALSE(logind_removes_ipc(root).has_value());  // no systemd runs
    std::filesystem::create_directories(root / "run/systemd/system");
    CHECK(logind_removes_ipc(root) == true);
    write("usr/lib/systemd/logind.conf", "[Login]\nRemoveIPC=no\n");
    CHECK(logind_removes_ipc(root) == true);  // etc goes before usr/lib
    write("usr/lib/systemd/logind.conf.d/50-keep.conf", "[Login]\nRemoveIPC=no\n");
    CHECK(logind_removes_ipc(root) == false);
    write("etc/systemd/logind.conf.d/50-keep.conf", "");  // masks the one of the same name
    CHECK(logind_removes_ipc(root) == true);
    write("run/systemd/logind.conf.d/60-keep.conf", "RemoveIPC=no");
    CHECK(logind_removes_ipc(root) == false);
    write("run/systemd/logind.conf.d/70.other", "RemoveIPC=yes");
    CHECK(logind_removes_ipc(root) == false);
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

TEST_CASE("a clock whose keeper cannot be known is a note, not a fault") {
    auto facts = healthy();
    const std::vector fixed{budget_with(ratecoord::LimitKind::fixed)};
    facts.clock.synchronised = false;
    facts.in_container = true;
    CHECK(grade_of(facts, "clock", fixed) == Grade::note);
    facts.in_container = false;
    facts.clock.keeper = "chronyd";  // without rtcsync it does not tell the kernel
    CHECK(grade_of(facts, "clock", fixed) == Grade::note);
}

TEST_CASE("/dev/shm in a container may be its own: a note") {
    auto facts = healthy();
    facts.in_container = true;
    CHECK(grade_of(facts, "container") == Grade::note);
    facts.directory.is_private = false;
    CHECK(find(diagnose_host(facts, {}), "container").check == "absent");
}

TEST_CASE("a budget that is in two places is found by its files and by who holds them") {
    auto facts = healthy();
    const std::string here = "/run/ratecoord/binance-spot.budget";
    facts.files = {{"binance-spot", here, {1, 7}, std::nullopt}};
    facts.processes[12] = {"bot", 'S'};
    SECTION("clients of the one file are no second place") {
        facts.held = {held_by(12, here, {1, 7}), held_by(13, here, {1, 7}, true)};
        CHECK(diagnose_places(facts, "").empty());
    }
    SECTION("a process with another RATECOORD_DIR") {
        facts.held = {held_by(12, "/srv/bots/binance-spot.budget", {2, 7})};
        const auto finding = find(diagnose_places(facts, ""), "one place");
        CHECK(finding.grade == Grade::attention);
        CHECK(finding.budget == "binance-spot");
        CHECK_THAT(finding.seen, Catch::Contains(here + " (used by nobody)"));
        CHECK_THAT(finding.seen,
                   Catch::Contains("/srv/bots/binance-spot.budget (used by pid 12 bot)"));
        CHECK_THAT(finding.next, Catch::Contains("same RATECOORD_DIR"));
        CHECK(diagnose_places(facts, "another").empty());
    }
    SECTION("a container with a /dev/shm of its own, whose path is the same") {
        facts.held = {held_by(11, here, {1, 7}), held_by(12, here, {9, 7}, true)};
        const auto finding = find(diagnose_places(facts, ""), "one place");
        CHECK(finding.grade == Grade::attention);
        CHECK_THAT(finding.seen, Catch::Contains("of a container (used by pid 12 bot)"));
        CHECK_THAT(finding.next, Catch::Contains("--ipc=host"));
    }
    SECTION("two containers, and none here") {
        facts.files.clear();
        facts.held = {held_by(11, here, {8, 7}, true), held_by(12, here, {9, 7}, true)};
        CHECK(find(diagnose_places(facts, ""), "one place").grade == Grade::attention);
    }
    SECTION("one container alone is as it should be, but not what was asked for") {
        facts.files.clear();
        facts.held = {held_by(12, here, {9, 7}, true)};
        CHECK(find(diagnose_places(facts, ""), "directory").grade == Grade::note);
        const auto asked = find(diagnose_places(facts, "binance-spot"), "directory");
        CHECK(asked.grade == Grade::attention);
        CHECK_THAT(asked.next, Catch::Contains("nsenter -t 12"));
    }
    SECTION("two users, each with a file of their own, may send from two addresses") {
        facts.files = {{"b", "/dev/shm/ratecoord-1000-b.budget", {1, 7}, 1000},
                       {"b", "/dev/shm/ratecoord-1001-b.budget", {1, 8}, 1001}};
        CHECK(find(diagnose_places(facts, ""), "one place").grade == Grade::note);
    }
    SECTION("a removed file is told as such") {
        facts.held = {held_by(12, here, {1, 6})};
        facts.held[0].removed = true;
        const auto findings = diagnose_places(facts, "");
        REQUIRE(findings.size() == 1);
        CHECK_THAT(findings[0].seen, Catch::Contains("whose file was removed: pid 12 bot"));
    }
}

TEST_CASE("file names say whose budget it is in /dev/shm alone") {
    CHECK(parse_budget_file("b.budget", false)->budget == "b");
    CHECK_FALSE(parse_budget_file("b.budget", false)->uid);
    CHECK(parse_budget_file("ratecoord-1000-b-c.budget", true)->budget == "b-c");
    CHECK(parse_budget_file("ratecoord-1000-b-c.budget", true)->uid == 1000U);
    for (const char* name : {"b.budget", "ratecoord-b.budget", "ratecoord-1000-.budget",
                             "ratecoord-1x-b.budget", "ratecoord-1000-b", ".budget", ""}) {
        INFO(name);
        CHECK_FALSE(parse_budget_file(name, true));
    }
}

TEST_CASE("the report puts what needs a hand first, one paragraph each") {
    DoctorReport report;
    report.taken_at = "2026-11-30T15:44:08.120Z";
    report.findings = {fine("directory", "budgets live in /run/ratecoord"),
                       note("shadow", "it counts", "it was created so"),
                       attention("clock", "nothing keeps it right", "windows need it", "chronyc")};
    report.findings[1].budget = "b\x1b[2J";
    put_attention_first(report);
    std::ostringstream results;
    std::ostringstream narration;
    const Console console(results, narration);
    CHECK(render_text(report, console) ==
          "needs a hand: clock\n"
          "  nothing keeps it right\n"
          "  why: windows need it\n"
          "  next: chronyc\n"
          "\n"
          "note: b?[2J: shadow\n"
          "  it counts\n"
          "  why: it was created so\n"
          "\n"
          "ok: directory: budgets live in /run/ratecoord\n"
          "3 findings: 1 needs a hand, 1 note\n");
    report.findings.erase(report.findings.begin());
    CHECK_THAT(render_text(report, console),
               Catch::Contains("2 findings: nothing needs a hand, 1 note"));
}
