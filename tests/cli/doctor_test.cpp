// SPDX-License-Identifier: Apache-2.0
//
// What the doctor says of set-ups that are really broken. The host's own clock and directories are
// judged in diagnosis_test.cpp; here a finding counts by its words.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include <ratecoord/budget.hpp>

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

// Processes of other tests on this host may hold budgets, too.
std::string unique_name() {
    static int count = 0;
    return "doctor-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

void create(const std::string& name, const std::string& limit = "w=1000/30d") {
    const auto ran = run_ratectl({"create", name, "--limit", limit, "--full"});
    INFO(ran.narration);
    REQUIRE(ran.exit == 0);
}

struct Told {
    int exit = -1;
    json findings;

    // The first finding of that check and grade; null if there is none.
    json find(const std::string& check, const std::string& grade) const {
        for (const auto& finding : findings) {
            if (finding["check"] == check && finding["grade"] == grade) return finding;
        }
        return nullptr;
    }
    bool needs_a_hand(const std::string& check, const std::string& word) const {
        const auto finding = find(check, "needs_a_hand");
        return !finding.is_null() &&
               finding["text"].get<std::string>().find(word) != std::string::npos;
    }
};

Told ask(const std::string& name) {
    const auto ran = run_ratectl({"doctor", name, "--json"});
    INFO(ran.narration);
    return {ran.exit, json::parse(ran.results)["findings"]};
}

// A client in a process of its own, which waits at the gate.
ChildProcess start_client(const std::string& name, Gate& gate, int reservations = 0) {
    return ChildProcess([&] {
        auto budget = Budget::attach(name, {.label = "bot"});
        if (!budget) return 1;
        for (int i = 0; i < reservations; ++i) {
            Reservation reservation;
            const auto cost = budget->cost({{"w", 1}}).value();
            if (!budget->reserve(cost, BootClock::now() + 400h, reservation)) return 2;
        }
        gate.arrive();
        return 0;
    });
}

void patch(const std::string& path, std::streamoff at, char byte) {
    std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(at);
    stream.put(byte);
    REQUIRE(stream.good());
}

}  // namespace

TEST_CASE("a sound budget needs no hand, and a missing one is not found") {
    const ScratchDirectory directory;
    const auto name = unique_name();
    create(name);
    const auto told = ask(name);
    for (const auto& finding : told.findings) {
        INFO(finding);
        if (finding["budget"] == name) CHECK(finding["grade"] == "ok");
    }
    CHECK(run_ratectl({"doctor", "doctor-absent"}).exit == 3);
    CHECK(run_ratectl({"doctor", "no/name"}).exit == 2);
}

TEST_CASE("the doctor tells a foreign format, a wrong mode, noise and another boot apart") {
    const ScratchDirectory directory;
    const auto name = unique_name();
    create(name);
    const auto path = directory.path() + "/" + name + ".budget";
    SECTION("another format version") {
        patch(path, 8, 99);  // behind the magic, docs/segment-format.md
        CHECK(ask(name).needs_a_hand("format", "format version"));
    }
    SECTION("another mode") {
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        const auto told = ask(name);
        CHECK(told.needs_a_hand("permission", "has mode 0644"));
        CHECK(told.find("permission", "needs_a_hand")["next"] == "chmod 0600 '" + path + "'");
        CHECK(told.exit == 1);
    }
    SECTION("noise") {
        patch(path, 0, 'R');
        CHECK(ask(name).needs_a_hand("file", "is not a ratecoord segment"));
    }
    SECTION("a damaged header") {
        patch(path, 110, 99);
        CHECK(ask(name).needs_a_hand("file", "checksum"));
    }
    SECTION("no file at all") {
        std::filesystem::remove(path);
        std::filesystem::create_directory(path);
        CHECK_THAT(ask(name).find("file", "needs_a_hand")["next"].get<std::string>(),
                   Catch::Contains("mv '" + path + "'"));
        CHECK(ask(name).needs_a_hand("file", "is not a regular file"));
    }
    CHECK(ask(name).exit == 1);
    CHECK(run_ratectl({"doctor"}).exit == 1);
}

TEST_CASE("the next command that the doctor names for a bad mode puts it right") {
    const ScratchDirectory directory;
    const auto name = unique_name();
    create(name);
    REQUIRE(::chmod((directory.path() + "/" + name + ".budget").c_str(), 0666) == 0);
    const auto next = ask(name).find("permission", "needs_a_hand")["next"].get<std::string>();
    REQUIRE(std::system(next.c_str()) == 0);
    CHECK(ask(name).find("permission", "needs_a_hand").is_null());
}

TEST_CASE("C14: a second file of the same budget in another directory is found by its client") {
    const auto name = unique_name();
    const ScratchDirectory theirs;
    create(name);
    Gate gate;
    auto child = start_client(name, gate);
    REQUIRE(gate.wait_for(1));
    const ScratchDirectory ours;
    SECTION("where we have one, too") {
        create(name);
        const auto told = ask(name);
        CHECK(told.needs_a_hand("one place", theirs.path() + "/" + name + ".budget"));
        CHECK(told.needs_a_hand("one place", ours.path() + "/" + name + ".budget"));
        CHECK(told.needs_a_hand("one place", "pid " + std::to_string(child.pid())));
    }
    SECTION("where we have none, its directory is named") {
        const auto told = ask(name);
        CHECK(told.exit == 1);
        CHECK(told.needs_a_hand("directory", "this budget is not in " + ours.path()));
        CHECK(told.find("directory", "needs_a_hand")["next"] ==
              "RATECOORD_DIR='" + theirs.path() + "' ratectl doctor " + name);
    }
}

TEST_CASE("C14: a container with a /dev/shm of its own is found from the host") {
    const ScratchDirectory directory;
    const auto name = unique_name();
    create(name);
    Gate gate;
    const auto path = directory.path();
    ChildProcess child([&] {
        if (::unshare(CLONE_NEWNS) != 0) return 77;
        if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
        if (::mount("tmpfs", path.c_str(), "tmpfs", 0, "mode=0700") != 0) return 77;
        auto budget = Budget::open(name, {{.name = "w", .quota = 1000, .window = 720h}}, {});
        if (!budget) return 1;
        gate.arrive();
        return 0;
    });
    if (!gate.wait_for(1)) {
        CHECK(child.wait() == 77);
        WARN("not run: a mount namespace is not allowed here");
        return;
    }
    // The creator of that file holds it without a name; it is found in its own view.
    const auto told = ask(name);
    CHECK(told.exit == 1);
    CHECK(told.needs_a_hand("one place",
                            "of a container (used by pid " + std::to_string(child.pid())));
    const auto next = told.find("one place", "needs_a_hand")["next"].get<std::string>();
    CHECK_THAT(next, Catch::Contains("--ipc=host"));
}

TEST_CASE("a stopped client with a reservation needs a hand until it goes on") {
    const ScratchDirectory directory;
    const auto name = unique_name();
    create(name, "w=1/10d,kind=spacing");
    Gate gate;
    auto child = start_client(name, gate, 2);
    REQUIRE(gate.wait_for(1));
    CHECK(ask(name).find("stopped client", "needs_a_hand").is_null());
    child.send(SIGSTOP);
    REQUIRE(child.has_stopped());
    const auto told = ask(name);
    CHECK(told.exit == 1);
    CHECK(told.needs_a_hand("stopped client", "is stopped and holds 1 reservation"));
    child.send(SIGCONT);
    int status = 0;
    REQUIRE(::waitpid(child.pid(), &status, WCONTINUED) == child.pid());
    CHECK(ask(name).find("stopped client", "needs_a_hand").is_null());
}

TEST_CASE("C17: a place that a child kept open after its process is named, with the child") {
    const ScratchDirectory directory;
    const auto name = unique_name();
    create(name);
    Gate gate;
    Gate done;
    Shared<pid_t> kept;
    ChildProcess parent([&] {
        auto budget = Budget::attach(name, {.label = "daemon"});
        if (!budget) return 1;
        // What a fork does that runs no handlers of ours: the descriptor lives on in the child.
        const int copy = ::dup(static_cast<int>([] {
            for (int fd = 11; fd < 64; ++fd) {
                struct stat status {};
                if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
            }
            return -1;
        }()));
        if (copy < 0) return 2;
        const pid_t child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, 0);
            gate.arrive();
            ::_exit(0);
        }
        *kept = child;
        done.arrive();
        return 0;
    });
    REQUIRE(gate.wait_for(1));
    REQUIRE(done.wait_for(1));
    parent.end();
    const auto told = ask(name);
    CHECK(told.needs_a_hand("orphaned place", "daemon"));
    const auto finding = told.find("orphaned place", "needs_a_hand");
    REQUIRE_FALSE(finding.is_null());
    CHECK_THAT(finding["next"].get<std::string>(), Catch::Contains(std::to_string(*kept)));
    gate.open();
}

TEST_CASE("G8: damaged saved stops need a hand, and kept ones are told") {
    const ScratchDirectory directory;
    const auto name = unique_name();
    create(name);
    const auto path = directory.path() + "/state/" + name + ".stops";
    REQUIRE(std::filesystem::exists(path));
    std::ofstream(path) << "noise\n";
    CHECK(ask(name).needs_a_hand("stops", path));
    // The next stop that is saved sets the file aside.
    REQUIRE(run_ratectl({"pause", name, "--for", "10m"}).exit == 0);
    const auto told = ask(name);
    CHECK(told.find("stops", "needs_a_hand").is_null());
    CHECK_THAT(told.find("stops", "note")["text"].get<std::string>(),
               Catch::Contains(path + ".bad"));
}

TEST_CASE("a state directory that cannot be needs a hand") {
    const ScratchDirectory directory;
    const auto name = unique_name();
    create(name);
    const auto state = directory.path() + "/state";
    std::filesystem::remove_all(state);
    CHECK(ask(name).find("state directory", "needs_a_hand").is_null());  // it is made when needed
    std::ofstream(state) << "a file\n";
    const auto told = ask(name);
    CHECK(told.needs_a_hand("state directory", "is not a directory"));
    const auto next = told.find("state directory", "needs_a_hand")["next"].get<std::string>();
    REQUIRE(std::system(next.c_str()) == 0);
    CHECK(ask(name).find("state directory", "needs_a_hand").is_null());
}

TEST_CASE("a directory that is missing, or no directory, is told with or without budgets") {
    const ScratchDirectory directory;
    for (const auto& [path, word] : {std::pair{directory.path() + "/absent", "does not exist"},
                                     std::pair{std::string("/etc/hostname"), "not a directory"},
                                     std::pair{std::string("relative"), "not an absolute path"}}) {
        ::setenv("RATECOORD_DIR", path.c_str(), 1);
        const auto ran = run_ratectl({"doctor", "--json"});
        const Told told{ran.exit, json::parse(ran.results)["findings"]};
        INFO(ran.results);
        CHECK(told.exit == 1);
        CHECK(told.needs_a_hand("directory", word));
    }
    ::setenv("RATECOORD_DIR", directory.path().c_str(), 1);
}

TEST_CASE("a memory file system that is too small for one more budget is told") {
    const ScratchDirectory directory;
    const auto small = directory.path() + "/small";
    std::filesystem::create_directory(small);
    Shared<int> exit;
    Shared<bool> told_so;
    ChildProcess child([&] {
        if (::unshare(CLONE_NEWNS) != 0) return 77;
        if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
        if (::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=1m,mode=0700") != 0) return 77;
        ::setenv("RATECOORD_DIR", small.c_str(), 1);
        const auto ran = run_ratectl({"doctor", "--json"});
        const Told told{ran.exit, json::parse(ran.results)["findings"]};
        *exit = ran.exit;
        *told_so = told.needs_a_hand("space", "bytes are free in " + small);
        return 0;
    });
    const int ended = child.wait();
    if (ended == 77) {
        WARN("not run: a mount namespace is not allowed here");
        return;
    }
    REQUIRE(ended == 0);
    CHECK(*exit == 1);
    CHECK(*told_so);
}
