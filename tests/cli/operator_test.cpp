// SPDX-License-Identifier: Apache-2.0
//
// What an operator does while bots run.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <ratecoord/budget.hpp>

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using namespace std::chrono_literals;

namespace {

void create(const std::string& name) {
    const auto ran = run_ratectl({"create", name, "--limit", "w=1000/30d,kind=fixed", "--full"});
    INFO(ran.narration);
    REQUIRE(ran.exit == 0);
}

std::uint64_t used(const std::string& name) {
    return read_snapshot(name).value().limits.at(0).cells.at(0).lanes.at(0).used;
}

}  // namespace

TEST_CASE("C26 G8: a ban survives the operator who removes the files") {
    const ScratchDirectory directory;
    create("b");
    auto survivor = Budget::attach("b", {.label = "survivor"}).value();
    const auto cost = survivor.cost({{"w", 1}}).value();
    REQUIRE(run_ratectl({"pause", "b", "--for", "10m", "--kind", "ban"}).exit == 0);
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
        std::filesystem::remove_all(entry.path());
    }

    SECTION("the survivors are found and named") {
        const auto shown = run_ratectl({"show", "b"});
        CHECK(shown.exit == 3);
        CHECK_THAT(shown.narration, Catch::Contains("1 process still holds its removed file"));
        const auto doctor = run_ratectl({"doctor"});
        CHECK(doctor.exit == 1);
        CHECK_THAT(doctor.results, Catch::Contains("on a budget whose file was removed"));
    }
    SECTION("the survivors bring the ban back, and reset respects it") {
        // The name is looked at once a second; until then the old file still says no.
        const auto patience = BootClock::now() + 20s;
        bool refused = true;
        while (!std::filesystem::exists(directory.path() + "/b.budget")) {
            REQUIRE(BootClock::now() < patience);
            const auto decision = survivor.try_acquire(cost);
            REQUIRE(decision);
            refused = refused && decision->refusal() == Refusal::paused;
        }
        CHECK(refused);
        const auto acquired = run_ratectl({"acquire", "b", "w=1", "--timeout", "0s"});
        CHECK(acquired.exit == 7);
        CHECK_THAT(acquired.narration, Catch::Contains("it is paused until"));
        CHECK(run_ratectl({"reset", "b"}).exit == 6);
        CHECK(run_ratectl({"reset", "b", "--ignore-ban"}).exit == 0);
    }
}

TEST_CASE("C26: a ban outlives the file even if nobody holds it any more") {
    const ScratchDirectory directory;
    create("b");
    REQUIRE(run_ratectl({"pause", "b", "--for", "10m", "--kind", "ban"}).exit == 0);
    REQUIRE(run_ratectl({"destroy", "b"}).exit == 0);
    create("b");
    const auto acquired = run_ratectl({"acquire", "b", "w=1", "--timeout", "0s"});
    CHECK(acquired.exit == 7);
    CHECK_THAT(run_ratectl({"list"}).results, Catch::Contains("banned"));
}

TEST_CASE("a budget whose clients took every slot can still be stopped, changed and removed") {
    const ScratchDirectory directory;
    REQUIRE(
        run_ratectl({"create", "b", "--limit", "w=1000/30d,kind=fixed", "--full", "--clients", "2"})
            .exit == 0);
    std::vector<Budget> clients;
    const auto patience = BootClock::now() + 20s;
    while (clients.size() < 2) {  // the creator's slot rests for 2 s
        REQUIRE(BootClock::now() < patience);
        if (auto client = Budget::attach("b", {.label = "bot"}))
            clients.push_back(*std::move(client));
    }
    const auto cost = clients[0].cost({{"w", 1}}).value();
    CHECK(Budget::attach("b").error().code == ErrorCode::segment_full);
    CHECK(run_ratectl({"acquire", "b", "w=1", "--timeout", "0s"}).exit == 1);
    CHECK(run_ratectl({"halt", "b", "--reason", "drill"}).exit == 0);
    CHECK(clients[0].try_acquire(cost)->refusal() == Refusal::halted);
    CHECK(run_ratectl({"unhalt", "b", "--reason", "over"}).exit == 0);
    CHECK(run_ratectl({"set", "b", "--limit", "w=900/30d,kind=fixed"}).exit == 0);
    CHECK(run_ratectl({"pause", "b", "--for", "1m"}).exit == 0);
    CHECK(run_ratectl({"destroy", "b", "--in-use"}).exit == 0);
    CHECK(clients[0].try_acquire(cost).error().code == ErrorCode::detached);
}

TEST_CASE("exec draws nothing for a program that cannot run") {
    const ScratchDirectory directory;
    create("b");
    CHECK(run_ratectl({"exec", "b", "w=5", "--", "no-such-program"}).exit == 127);
    CHECK(used("b") == 0);
    // It exists, and only the kernel knows that it cannot run: the permit is given back.
    const auto script = directory.path() + "/broken";
    std::ofstream(script) << "#!/nowhere/at/all\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    CHECK(run_ratectl({"exec", "b", "w=5", "--", script}).exit == 127);
    CHECK(used("b") == 0);
    const auto data = directory.path() + "/data";
    std::ofstream(data) << "no program\n";
    CHECK(run_ratectl({"exec", "b", "w=5", "--", data}).exit == 126);
    CHECK(used("b") == 0);
}

TEST_CASE("exec ends as its program does, and its units stay drawn") {
    const ScratchDirectory directory;
    create("b");
    const auto ran = run_ratectl({"exec", "b", "w=5", "--", "sh", "-c", "echo sent; exit 42"});
    CHECK(ran.exit == 42);
    CHECK(ran.results == "sent\n");
    CHECK(run_ratectl({"exec", "b", "w=2", "--", "sh", "-c", "kill -TERM $$"}).exit == 128 + 15);
    CHECK(used("b") == 7);
}

TEST_CASE("G2: pause, halt and their ends reach a running bot") {
    const ScratchDirectory directory;
    create("b");
    auto bot = Budget::attach("b", {.label = "bot"}).value();
    const auto cost = bot.cost({{"w", 1}}).value();
    const auto answer = [&] { return bot.try_acquire(cost).value().refusal(); };
    CHECK(answer() == Refusal::none);
    REQUIRE(run_ratectl({"pause", "b", "--for", "10m"}).exit == 0);
    CHECK(answer() == Refusal::paused);
    REQUIRE(run_ratectl({"resume", "b"}).exit == 0);
    CHECK(answer() != Refusal::paused);
    REQUIRE(run_ratectl({"halt", "--all"}).exit == 0);
    CHECK(answer() == Refusal::halted);
    REQUIRE(run_ratectl({"unhalt", "b"}).exit == 0);
    CHECK(answer() != Refusal::halted);
}

TEST_CASE("clients and show name who draws, by label and pid") {
    const ScratchDirectory directory;
    create("b");
    auto bot = Budget::attach("b", {.label = "md-gateway"}).value();
    REQUIRE(bot.try_acquire(bot.cost({{"w", 25}}).value()).value().granted());
    const auto pid = std::to_string(::getpid());
    const auto clients = run_ratectl({"clients", "b"});
    CHECK_THAT(clients.results, Catch::Contains(pid + "  md-gateway  attached"));
    CHECK_THAT(clients.results, Catch::Contains("1 client, room for 128\n"));
    CHECK_THAT(run_ratectl({"show", "b"}).results,
               Catch::Contains("md-gateway (pid " + pid + "): 25 units in 1 permit"));
}

TEST_CASE("a dry run changes nothing") {
    const ScratchDirectory directory;
    create("b");
    const auto path = directory.path() + "/b.budget";
    const auto before = read_snapshot("b").value();
    for (const char* command :
         {"create c --limit w=1/1s --dry-run", "pause b --for 1m --dry-run",
          "pause b --for 1m --kind ban --dry-run", "halt b --dry-run", "halt --all --dry-run",
          "unhalt b --dry-run", "reset b --dry-run", "resume b --ban --dry-run",
          "set b --limit w=10/30d --dry-run", "destroy b --dry-run"}) {
        const auto ran = run_ratectl(split_command(command));
        INFO(command << ran.narration);
        CHECK(ran.exit == 0);
        CHECK_THAT(ran.results, Catch::Contains("dry run"));
        CHECK(std::filesystem::exists(path));
        CHECK_FALSE(std::filesystem::exists(directory.path() + "/c.budget"));
    }
    const auto after = read_snapshot("b").value();
    CHECK(after.state == before.state);
    CHECK(after.pause_until == before.pause_until);
    CHECK(after.halted == before.halted);
    CHECK(after.limits.size() == before.limits.size());
    CHECK(after.limits[0].definition == before.limits[0].definition);
}

TEST_CASE("the doctor finds what a killed client left, and --sweep takes it out") {
    const ScratchDirectory directory;
    REQUIRE(run_ratectl({"create", "b", "--limit", "w=1/10d,kind=spacing", "--full"}).exit == 0);
    Gate gate;
    ChildProcess child([&] {
        auto budget = Budget::attach("b", {.label = "doomed"}).value();
        const auto cost = budget.cost({{"w", 1}}).value();
        Reservation reservation;
        const auto deadline = BootClock::now() + 400h;
        for (int i = 0; i < 2; ++i) {
            if (!budget.reserve(cost, deadline, reservation)) return 1;
        }
        gate.arrive();
        return 0;
    });
    REQUIRE(gate.wait_for(1));
    child.end();
    const auto found = run_ratectl({"doctor", "b"});
    CHECK(found.exit == 1);
    CHECK_THAT(found.results, Catch::Contains("left 1 reservation behind"));
    CHECK_THAT(found.results, Catch::Contains("next: ratectl doctor b --sweep"));
    const auto swept = run_ratectl({"doctor", "b", "--sweep"});
    CHECK_THAT(swept.results, !Catch::Contains("left 1 reservation behind"));
    CHECK(read_snapshot("b").value().reservations.empty());
}
