// SPDX-License-Identifier: Apache-2.0
//
// `ratectl top` on a real terminal. ctrl-l makes it write every word anew: else only what changed
// is written, and a word may come in pieces.
#include <algorithm>
#include <cstring>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord::testing;

namespace {

constexpr const char* other_screen = "\x1b[?1049h";
constexpr const char* own_screen = "\x1b[?1049l";
constexpr const char* anew = "\x0c";

struct Budgets {
    Budgets() {
        for (const char* name : {"kraken", "okx"}) {
            const auto ran = run_ratectl({"create", name, "--limit", "weight=60/1m", "--full"});
            REQUIRE(ran.exit == 0);
        }
    }
    const ScratchDirectory directory;
};

bool same_mode(const termios& a, const termios& b) {
    return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag &&
           a.c_lflag == b.c_lflag && std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

}  // namespace

TEST_CASE("top takes the other screen and gives the terminal back when it quits") {
    const Budgets budgets;
    Terminal terminal({"top"});
    const auto before = terminal.mode();
    terminal.expect(other_screen);
    terminal.expect("okx/weight");
    CHECK_FALSE(same_mode(terminal.mode(), before));
    terminal.type("q");
    CHECK(terminal.wait() == 0);
    terminal.expect(own_screen);
    CHECK(same_mode(terminal.mode(), before));
}

TEST_CASE("top obeys its keys") {
    const Budgets budgets;
    Terminal terminal({"top"});
    terminal.expect("okx/weight");
    terminal.type(std::string("?") + anew);
    terminal.expect("regained");
    terminal.type(std::string("x") + anew);
    terminal.expect("kraken/weight");
    terminal.type(std::string("\x1b[B\r") + anew);  // arrow down, enter
    terminal.expect("retry");
    terminal.type(std::string("\r/zzz") + anew);
    terminal.expect("nothing");
    terminal.type("\x7f\x7f\x7fokx\r/");
    terminal.type(std::string("\x1b") + anew);
    terminal.expect("'okx'");
    terminal.type("q");
    CHECK(terminal.wait() == 0);
}

TEST_CASE("top follows the size of its terminal, down to one cell") {
    const Budgets budgets;
    Terminal terminal({"top"});
    terminal.expect("okx/weight");
    terminal.resize(40, 160);
    terminal.expect("UNITS/S");
    terminal.resize(1, 1);
    terminal.resize(5, 20);
    terminal.type(anew);
    terminal.expect("ratectl top");
    terminal.resize(24, 80);
    terminal.type(anew);
    terminal.expect("JOURNAL");
    terminal.type("q");
    CHECK(terminal.wait() == 0);
}

TEST_CASE("signals end top, and the terminal is as it was") {
    const Budgets budgets;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        Terminal terminal({"top", "okx"});
        const auto before = terminal.mode();
        terminal.expect("okx/weight");
        terminal.send(signal);
        CHECK(terminal.wait() == 0);
        terminal.expect(own_screen);
        CHECK(same_mode(terminal.mode(), before));
    }
}

TEST_CASE("a stopped top is painted anew when it goes on") {
    const Budgets budgets;
    Terminal terminal({"top"});
    terminal.expect("okx/weight");
    terminal.send(SIGSTOP);
    int status = 0;
    REQUIRE(::waitpid(terminal.pid(), &status, WUNTRACED) == terminal.pid());
    REQUIRE(WIFSTOPPED(status));
    terminal.send(SIGCONT);
    terminal.expect("okx/weight");
    terminal.type("q");
    CHECK(terminal.wait() == 0);
}

TEST_CASE("on a terminal that cannot place text top prints lines") {
    const Budgets budgets;
    Terminal terminal({"top", "--interval", "50ms"}, "dumb");
    terminal.expect("place text");
    terminal.expect("okx/weight");
    terminal.expect("okx/weight");
    terminal.send(SIGINT);
    CHECK(terminal.wait() == 0);
    CHECK(terminal.written().find('\x1b') == std::string::npos);
}

TEST_CASE("a budget that is banned, destroyed and made while top runs is shown as it is") {
    const Budgets budgets;
    Terminal terminal({"top", "--interval", "50ms"});
    terminal.expect("okx/weight");
    REQUIRE(run_ratectl({"pause", "okx", "--for", "2h", "--kind", "ban"}).exit == 0);
    terminal.expect("banned");
    REQUIRE(run_ratectl({"create", "zaif", "--limit", "raw=5/1s"}).exit == 0);
    terminal.expect("zaif/raw");
    REQUIRE(run_ratectl({"destroy", "zaif"}).exit == 0);
    terminal.type(std::string("/zaif") + anew);
    terminal.expect("nothing");
    terminal.type("\rq");
    CHECK(terminal.wait() == 0);
}

TEST_CASE("top --once needs no terminal, and anything else does") {
    const Budgets budgets;
    const auto once = run_ratectl({"top", "--once", "--json", "--interval", "50ms"});
    CHECK(once.exit == 0);
    const auto document = nlohmann::json::parse(once.results);
    CHECK(document["budgets"].size() == 2);
    CHECK(document["budgets"][0]["limits"][0]["units_per_second"] == 0);
    const auto more = run_ratectl({"top", "okx", "--count", "3", "--interval", "50ms", "--json"});
    CHECK(std::count(more.results.begin(), more.results.end(), '\n') == 3);
    CHECK(run_ratectl({"top"}).exit == 2);
    CHECK(run_ratectl({"top", "--json"}).exit == 2);
    CHECK(run_ratectl({"top", "nowhere", "--once"}).exit == 3);
}
