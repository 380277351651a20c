// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord::testing;

namespace {

void must(const std::vector<std::string>& arguments) {
    const auto ran = run_ratectl(arguments);
    INFO(ran.narration);
    REQUIRE(ran.exit == 0);
}

const std::vector<std::string> create{"create", "okx", "--limit", "weight=60/1m", "--full"};

}  // namespace

TEST_CASE("journal --follow gives events as they come and ends with 0 when told to") {
    const ScratchDirectory directory;
    must(create);
    Terminal terminal({"journal", "okx", "--follow"});
    terminal.expect("created");
    must({"halt", "okx", "--reason", "drill"});
    terminal.expect("drill");
    must({"unhalt", "okx", "--reason", "over"});
    terminal.expect("over");
    terminal.send(SIGINT);
    CHECK(terminal.wait() == 0);
}

TEST_CASE("journal --follow goes on with a budget that was destroyed and made anew") {
    const ScratchDirectory directory;
    must(create);
    Terminal terminal({"journal", "okx", "-f"});
    terminal.expect("created");
    must({"destroy", "okx"});
    terminal.expect("it was destroyed; waiting");
    must(create);
    terminal.expect("it was made anew");
    terminal.expect("created");
    terminal.send(SIGTERM);
    CHECK(terminal.wait() == 0);
}

TEST_CASE("journal --follow --json writes one object a line") {
    const ScratchDirectory directory;
    must(create);
    Terminal terminal({"journal", "okx", "-f", "--json"});
    terminal.expect("\"created\"");
    must({"destroy", "okx"});
    terminal.expect("\"destroyed\"");
    must(create);
    terminal.expect("\"made_anew\"");
    terminal.expect("\"created\"");
    terminal.expect("\n");
    terminal.send(SIGINT);
    CHECK(terminal.wait() == 0);
    std::istringstream lines(terminal.written());
    std::string types;
    for (std::string line; std::getline(lines, line);) {
        const auto value = nlohmann::json::parse(line);
        CHECK(value["schema"] == 1);
        CHECK(value["budget"] == "okx");
        types += value["type"].get<std::string>() + " ";
    }
    CHECK_THAT(types, Catch::StartsWith("event ") && Catch::Contains("notice notice event "));
}

TEST_CASE("journal --follow of a budget that is not there is refused") {
    const ScratchDirectory directory;
    CHECK(run_ratectl({"journal", "nowhere", "--follow"}).exit == 3);
}
