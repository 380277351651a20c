// SPDX-License-Identifier: Apache-2.0
//
// What an operator may mistype: one line and at most one hint, the documented exit code, and the
// budget exactly as it was.
#include <algorithm>
#include <filesystem>

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord::testing;

namespace {

struct BadInput {
    std::vector<std::string> arguments;
    int exit;
    const char* says;
};

std::vector<std::string> create(const std::string& limit) {
    return {"create", "fresh", "--limit", limit};
}

std::vector<BadInput> wrong_limits() {
    return {
        {create("weight"), 2, "is not written NAME=QUOTA/WINDOW"},
        {create("weight=6000"), 2, "'6000' is not QUOTA/WINDOW"},
        {create("weight=6000/60"), 2, "window '60' needs a unit"},
        {create("weight=6000/1y"), 2, "unknown unit 'y'"},
        {create("weight=6e3/1m"), 2, "quota '6e3' is not a whole number"},
        {create("weight=-1/1m"), 2, "quota '-1' is negative"},
        {create("weight=nan/1m"), 2, "quota 'nan' is not a whole number"},
        {create("weight=inf/1m"), 2, "quota 'inf' is not a whole number"},
        {create("weight=0/1m"), 2, "quota is 0"},
        {create("weight=18446744073709551615/1ms"), 2, "18446744073709551615"},
        {create("weight=18446744073709551616/1m"), 2, "larger than any count"},
        {create("weight=6000/0s"), 2, "window"},
        {create("weight=6000/367d"), 2, "longer than a year"},
        {create("weight=6000/18446744073709551615ms"), 2, "longer than 292 years"},
        {create("weight=6000/1m,burst=6001"), 2, "burst 6001 is above the quota 6000"},
        {create("weight=6000/1m,kind=fixed,slack=30s"), 2, "leaves nothing of the window"},
        {create("weight=6000/1m,slack=1ms"), 2, "slack 1ms is below 5ms"},
        {create("weight=6000/1m,kind=sliding"), 2, "kind 'sliding'"},
        {create("weight=6000/1m,reserve=95%"), 2, "reserve"},
        {create("weight=6000/1m,largest=6001"), 2, "6001"},
        {create("polls=2/1s,kind=spacing"), 2, "spacing takes a quota of 1"},
        {create("Weight!=6000/1m"), 2, "a name is 1 to 31 characters"},
        {create("weight=6000/1m,per=an-account-name-too-long"), 2, "per="},
        {{"create", "fresh"}, 2, "no limit is given"},
        {{"create", "fresh", "--limit", "w=1/1s", "--limit", "w=2/1s"}, 2, "'w' is given twice"},
    };
}

std::vector<BadInput> wrong_names_and_sizes() {
    const std::string limit = "w=1/1s";
    return {
        {{"create", "", "--limit", limit}, 2, "cannot be empty"},
        {{"create", "..", "--limit", limit}, 2, "must begin with a letter or a digit"},
        {{"create", "a/b", "--limit", limit}, 2, "contains a slash"},
        {{"create", std::string(256, 'x'), "--limit", limit}, 2, "longer than"},
        {{"create", "b\xc3\xb6rse", "--limit", limit}, 2, "ASCII"},
        {{"create", "fresh", "--limit", limit, "--clients", "0"}, 2, "client"},
        {{"create", "fresh", "--limit", limit, "--clients", "-1"}, 2, "negative"},
        {{"create", "fresh", "--limit", limit, "--clients", "many"}, 2, "not a whole number"},
        {{"create", "fresh", "--limit", limit, "--reservations", "99999999999"}, 2, "larger than"},
        {{"create", "fresh", "--limit", limit, "--keys", "4294967295"}, 2, "keys"},
        {{"create", "fresh", "--limit", limit, "--group", "no-such-group"}, 2, "no group"},
        {{"create", "live", "--limit", limit}, 6, "exists already"},
        {{"show", "absent"}, 3, "does not exist"},
        {{"destroy", "absent"}, 3, "does not exist"},
        {{"show", "live", "absent"}, 4, "there is no limit 'absent'"},
        {{"show", "."}, 2, "budget name"},
        {{"journal", "live", "-n", "ten"}, 2, "--last 'ten' is not a whole number"},
    };
}

std::vector<BadInput> wrong_requests() {
    return {
        {{"acquire", "live"}, 2, "COST"},
        {{"acquire", "live", "weight"}, 2, "is not written NAME=UNITS"},
        {{"acquire", "live", "weight=0"}, 2, "must be at least 1"},
        {{"acquire", "live", "weight=-1"}, 2, "negative"},
        {{"acquire", "live", "weight=18446744073709551615"}, 2, "can never fit"},
        {{"acquire", "live", "weight=1", "weight=2"}, 2, "named twice"},
        {{"acquire", "live", "absent=1"}, 4, "there is no limit 'absent'"},
        {{"acquire", "live", "orders=1"}, 2, "name the key"},
        {{"acquire", "live", "weight=1", "--key", "weight=main"}, 2, "is not keyed"},
        {{"acquire", "live", "weight=1", "--timeout", "5"}, 2, "needs a unit"},
        {{"acquire", "live", "weight=1", "--lane", "fast"}, 2, "--lane 'fast'"},
        {{"acquire", "live", "weight=1", "--intent", "buy"}, 2, "--intent 'buy'"},
        {{"exec", "live", "weight=1"}, 2, "no program is given"},
        {{"exec", "live", "weight=1", "--", "no-such-program"}, 127, "No such file"},
        {{"pause", "live"}, 2, "give one of --for and --until"},
        {{"pause", "live", "--for", "30"}, 2, "needs a unit"},  // B16
        {{"pause", "live", "--for", "0s"}, 2, "is over already"},
        {{"pause", "live", "--for", "106751d"}, 2, "longer than 10 years"},
        {{"pause", "live", "--until", "2001-01-01T00:00:00Z"}, 2, "is over already"},
        {{"pause", "live", "--until", "tomorrow"}, 2, "is not an instant"},
        {{"pause", "live", "--for", "1m", "--kind", "nap"}, 2, "--kind 'nap'"},
        {{"pause", "live", "--for", "1m", "--key", "account"}, 2, "is not written NAME=VALUE"},
        {{"pause", "live", "--for", "1m", "--key", "planet=mars"}, 4, "counted per 'planet'"},
        {{"set", "live", "--limit", "weight=0/1m"}, 2, "quota is 0"},
        {{"set", "live", "--limit", "orders=1/1m,per=planet"}, 2, "cannot change"},
        {{"halt"}, 2, "name one budget, or give --all"},
        {{"halt", "live", "--all"}, 2, "name one budget, or give --all"},
        {{"list", "live"}, 2, "one too many"},
        {{"list", "--jsno"}, 2, "is unknown"},
        {{"lits"}, 2, "there is no such command"},
    };
}

BadInput simulated(const std::string& options, const char* says) {
    auto arguments = split_command("simulate " + options);
    return {arguments, 2, says};
}

std::vector<BadInput> wrong_simulations() {
    return {
        simulated("", "nothing is asked for"),
        simulated("--workers 40", "--limit is missing"),
        simulated("--limit w=10/1s", "--workers is missing"),
        simulated("--table --workers 40", "--table takes no --workers"),
        simulated("--table --scenario layers", "--table takes no --scenario"),
        simulated("--scenario storm", "'storm' is neither herd nor layers"),
        simulated("--scenario layers --limit w=10/1s", "layers takes no --limit"),
        simulated("--scenario layers --layers 0", "'0' is not between 1 and 16"),
        simulated("--scenario layers --layers 17", "'17' is not between 1 and 16"),
        simulated("--scenario layers --retries -1", "negative"),
        simulated("--scenario layers --layers 16 --retries 1000", "more than 10000000 requests"),
        simulated("--workers 40 --limit w=10/1s --layers 3", "herd takes no --layers"),
        simulated("--workers 0 --limit w=10/1s", "--workers '0' is not between 1 and 10000"),
        simulated("--workers 10001 --limit w=10/1s", "--workers '10001'"),
        simulated("--workers 4e1 --limit w=10/1s", "not a whole number"),
        simulated("--workers 40 --limit w=10/1s --calls 0", "--calls '0'"),
        simulated("--workers 40 --limit w=10/1s --cost 0", "--cost '0'"),
        simulated("--workers 40 --limit w=10/1s,burst=2 --cost 3", "3 can never fit"),
        simulated("--workers 40 --limit w=10/1s --runs 0", "--runs '0'"),
        simulated("--workers 40 --limit w=10/1s --seed -1", "--seed '-1' is negative"),
        simulated("--workers 40 --limit w=10/1s --seed 18446744073709551616", "larger than any"),
        simulated("--workers 40 --limit w=10/1s --service-time 80", "needs a unit"),
        simulated("--workers 40 --limit w=10/1s --service-time 2h", "not between 0s and 1h"),
        simulated("--workers 40 --limit w=10/1s --base 0s", "not between 1ms and 1h"),
        simulated("--workers 40 --limit w=10/1s --cap 366d", "not between 1ms and 1h"),
        simulated("--workers 40 --limit w=10/1s --base 1m", "--base is longer than the longest"),
        simulated("--workers 40 --limit w=10/1s --backoff half", "--backoff 'half'"),
        simulated("--workers 40 --limit w=0/1s", "quota is 0"),
        simulated("--workers 40 --limit w=10", "'10' is not QUOTA/WINDOW"),
        simulated("--workers 40 --limit w=1/365d", "longer than a year"),
        simulated("--workers 10000 --limit w=10/1s --calls 1000000", "calls in all"),
        simulated("--workers 10000 --limit w=10000/1s --calls 100", "minutes to plan"),
    };
}

std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void check_all(const std::vector<BadInput>& table) {
    const ScratchDirectory directory;
    REQUIRE(run_ratectl({"create", "live", "--limit", "weight=6000/30d", "--limit",
                         "orders=50/30d,per=account", "--full"})
                .exit == 0);
    const auto file = directory.path() + "/live.budget";
    const auto before = file_text(file);
    const auto entries = directory.entries();
    for (const auto& bad : table) {
        std::string command = "ratectl";
        for (const auto& argument : bad.arguments) command += " '" + argument + "'";
        const auto ran = run_ratectl(bad.arguments);
        INFO(command << "\n" << ran.narration);
        CHECK(ran.exit == bad.exit);
        CHECK(ran.results.empty());
        CHECK_THAT(ran.narration, Catch::StartsWith("ratectl: cannot "));
        CHECK_THAT(ran.narration, Catch::Contains(bad.says));
        const bool has_hint = ran.narration.find("\nhint: ") != std::string::npos;
        CHECK(count_lines(ran.narration) == (has_hint ? 2 : 1));
        CHECK(directory.entries() == entries);
    }
    // A command that gets as far as attaching leaves its trace in a client slot; the limits, the
    // plan and the stops of the budget must be as they were.
    CHECK(file_text(file).size() == before.size());
    const auto shown = run_ratectl({"show", "live", "--json"});
    CHECK_THAT(shown.results, Catch::Contains("\"state\":\"idle\""));
}

}  // namespace

TEST_CASE("D07 D09: a limit that cannot be kept is refused where it is written") {
    check_all(wrong_limits());
}

TEST_CASE("C27: names and sizes are checked, and the error says what is wrong") {
    check_all(wrong_names_and_sizes());
}

TEST_CASE("D08 B16: a request that can never be is refused at once") {
    check_all(wrong_requests());
}

TEST_CASE("a simulation that cannot be made, or would take minutes, is refused at once") {
    check_all(wrong_simulations());
}
