// SPDX-License-Identifier: Apache-2.0
//
// The daemon as a process, heard through the socket that systemd would listen on.
#include <fstream>
#include <ratecoord/budget.hpp>
#include <sstream>

#include "daemon/notify_socket.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using namespace std::chrono_literals;

namespace {

struct Host {
    ScratchDirectory scratch;
    NotifySocket systemd{scratch.path()};
    std::string file = scratch.path() + "/coordinatord.toml";

    Host() {
        std::ofstream(scratch.path() + "/acme.toml")
            << "schema = 1\nname = \"acme\"\ntitle = \"Acme\"\nas_of = 2030-01-01\n"
               "source = \"nobody\"\nconfidence = \"A\"\n"
               "[limits.weight]\nkind = \"rolling\"\nquota = 100\nwindow = \"1s\"\n";
        configure(100);
    }
    void configure(int quota) const {
        write("schema = 1\ninterval = \"100ms\"\n[budgets.acme.limits.weight]\nquota = " +
              std::to_string(quota) + "\n");
    }
    void write(const std::string& text) const { std::ofstream(file) << text; }
    std::unique_ptr<Program> start() {
        auto daemon =
            std::make_unique<Program>("coordinatord", std::vector<std::string>{"--config", file});
        REQUIRE_FALSE(systemd.wait_for("READY=1").empty());
        return daemon;
    }
    std::uint64_t quota() const {
        return read_snapshot("acme").value().limits.at(0).definition.quota;
    }
    std::string outcome_of_reload() const {
        std::ifstream lock(scratch.path() + "/coordinatord.lock");
        std::stringstream text;
        text << lock.rdbuf();
        return text.str();
    }
};

}  // namespace

TEST_CASE("budgets are there once the daemon is ready, and stay when it ends") {
    Host host;
    auto daemon = host.start();
    CHECK(host.quota() == 100);
    daemon->send(SIGTERM);
    CHECK_FALSE(host.systemd.wait_for("STOPPING=1").empty());
    CHECK(daemon->wait() == 0);
    CHECK(host.quota() == 100);
}

TEST_CASE("SIGHUP brings changed limits into force, for clients that are attached too") {
    Host host;
    auto daemon = host.start();
    auto bot = Budget::attach("acme").value();
    host.configure(50);
    daemon->send(SIGHUP);
    CHECK_FALSE(host.systemd.wait_for("RELOADING=1").empty());
    CHECK_FALSE(host.systemd.wait_for("READY=1").empty());
    CHECK(bot.snapshot().value().limits.at(0).definition.quota == 50);
    CHECK(host.outcome_of_reload() == "1 ok\n");
}

TEST_CASE("a configuration that is wrong changes nothing and is told with its line") {
    Host host;
    auto daemon = host.start();
    host.configure(0);
    daemon->send(SIGHUP);
    CHECK_FALSE(host.systemd.wait_for("READY=1").empty());
    CHECK(host.quota() == 100);
    CHECK(host.outcome_of_reload().find("1 failed: ") == 0);
    CHECK(host.outcome_of_reload().find("coordinatord.toml:4: limit 'weight'") !=
          std::string::npos);
}

TEST_CASE("ratectl reload tells the daemon, and prints the outcome") {
    Host host;
    auto daemon = host.start();
    host.configure(50);
    Program dry("ratectl", {"reload", "--dry-run"});
    CHECK(dry.wait() == 0);
    CHECK(host.outcome_of_reload() == "0 ok\n");
    Program sound("ratectl", {"reload"});
    CHECK(sound.wait() == 0);
    CHECK(host.quota() == 50);
    host.configure(0);
    Program wrong("ratectl", {"reload", "--json"});
    CHECK(wrong.wait() == 1);
    CHECK(host.quota() == 50);
    daemon->send(SIGTERM);
    CHECK(daemon->wait() == 0);
    Program late("ratectl", {"reload"});  // the lock file is still there, and nobody holds it
    CHECK(late.wait() == 3);
}

TEST_CASE("one daemon looks after a directory; a second is refused") {
    Host host;
    auto daemon = host.start();
    Program second("coordinatord", {"--config", host.file});
    CHECK(second.wait() == 6);
    CHECK(host.systemd.pass_a_tick());
}

TEST_CASE("C26: a budget that is removed by hand is there again after a tick") {
    Host host;
    auto daemon = host.start();
    REQUIRE(::unlink((host.scratch.path() + "/acme.budget").c_str()) == 0);
    for (int ticks = 0; ticks < 100 && !read_snapshot("acme"); ++ticks) {
        REQUIRE(host.systemd.pass_a_tick());
    }
    CHECK(host.quota() == 100);
}

TEST_CASE("a budget that is destroyed is made anew, and a hook is told of both") {
    Host host;
    const auto heard = host.scratch.path() + "/heard";
    host.write(
        "schema = 1\ninterval = \"100ms\"\n[budgets.acme]\n[[hooks]]\nname = \"ends\"\n"
        "on = [\"retired\", \"budget_back\"]\ncommand = [\"/bin/sh\", \"-c\", \"cat >> " +
        heard + "\"]\n");
    auto daemon = host.start();
    REQUIRE(host.systemd.pass_a_tick());
    const auto before = read_snapshot("acme").value().segment_id;
    REQUIRE(destroy("acme"));
    const auto told = [&] {
        std::stringstream text;
        text << std::ifstream(heard).rdbuf();
        return text.str();
    };
    const auto is_done = [&] { return told().find("\"budget_back\"") != std::string::npos; };
    for (int ticks = 0; ticks < 200 && !is_done(); ++ticks) REQUIRE(host.systemd.pass_a_tick());
    CHECK(told().find("\"retired\"") != std::string::npos);
    const auto after = read_snapshot("acme");
    REQUIRE(after);
    CHECK(after->segment_id != before);
}

TEST_CASE("G8: a ban outlives every process and the segment, with the daemon alone started") {
    Host host;
    auto daemon = host.start();
    const auto end = BootClock::now() + 72h;
    REQUIRE(Budget::attach("acme").value().pause(PauseKind::ban, end).value());
    daemon->kill();
    REQUIRE(::unlink((host.scratch.path() + "/acme.budget").c_str()) == 0);
    daemon = host.start();
    const auto snapshot = read_snapshot("acme").value();
    CHECK(snapshot.state == BudgetState::banned);
    const auto off = snapshot.pause_until.at(static_cast<std::size_t>(PauseKind::ban)) -
                     end.time_since_epoch().count();
    CHECK(std::abs(off) < std::chrono::nanoseconds(1s).count());
}
