// SPDX-License-Identifier: Apache-2.0
#include "ratectl/command_line.hpp"

#include <sstream>

#include "ratectl/help_text.hpp"
#include "ratectl/run.hpp"
#include "support/catch.hpp"

using namespace ratectl;

namespace {

std::string cause_of(const std::vector<std::string>& arguments) {
    bool json = false;
    const auto request = read_command_line(arguments, json);
    return request ? "accepted" : request.error().cause;
}

}  // namespace

TEST_CASE("options of every command may stand before or after its name") {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--json", "--color", "never", "show", "b"},
          {"show", "b", "--color=never", "--json"},
          {"show", "--json", "b", "--color", "never"}}) {
        bool json = false;
        const auto request = read_command_line(arguments, json);
        REQUIRE(request);
        CHECK(request->json);
        CHECK(json);
        CHECK(request->colour == ColourWhen::never);
    }
}

TEST_CASE("what cannot be used is refused with its reason") {
    CHECK(cause_of({"list", "--frobnicate"}) == "the option '--frobnicate' is unknown");
    CHECK(cause_of({"clients", "a", "b"}) == "the argument 'b' is one too many");
    CHECK(cause_of({"show"}) == "NAME is required");
    CHECK(cause_of({"--color", "pink"}) == "--color 'pink' is none of auto, always, never");
    CHECK(cause_of({"frobnicate"}) == "there is no such command");
    CHECK(cause_of({""}) == "there is no such command");
    CHECK(cause_of({"--color"}) != "accepted");
}

TEST_CASE("a budget may be called like a command") {
    CHECK(cause_of({"show", "list"}) == "accepted");
    CHECK(cause_of({"show", "halt", "--json"}) == "accepted");
}

TEST_CASE("a limit does not swallow the name behind it") {
    CHECK(cause_of({"create", "--limit", "w=1/1s", "name"}) == "accepted");
    CHECK(cause_of({"create", "--limit", "w=1/1s", "--limit", "v=1/1s", "name"}) == "accepted");
}

TEST_CASE("the program of exec is taken as it is") {
    CHECK(cause_of({"exec", "b", "w=1", "--", "curl", "--json", "--frobnicate"}) == "accepted");
    bool json = false;
    CHECK(read_command_line({"exec", "b", "w=1", "--", "curl", "--json"}, json));
    CHECK_FALSE(json);
}

TEST_CASE("the nearest name is suggested, and nothing far") {
    const auto names = command_names();
    CHECK(nearest_of("shwo", names) == "show");
    CHECK(nearest_of("unhlat", names) == "unhalt");
    CHECK(nearest_of("lst", names) == "list");
    CHECK(nearest_of("frobnicate", names).empty());
    CHECK(nearest_of(std::string(5000, 'x'), names).empty());
}

TEST_CASE("every command has help that names all it takes") {
    for (const auto& entry : command_table()) {
        std::ostringstream results;
        std::ostringstream narration;
        INFO(entry.name);
        CHECK(run({std::string(entry.name), "--help"}, results, narration, false) == 0);
        const auto command = entry.make();
        Parameters parameters;
        command->declare(parameters);
        for (const auto& parameter : parameters.all()) {
            CHECK_THAT(results.str(), Catch::Contains(parameter.name));
        }
        CHECK(narration.str().empty());
        CHECK_THAT(overview(), Catch::Contains("\n  " + std::string(entry.name) + " "));
    }
}

TEST_CASE("a result that cannot be written is a failure") {
    std::ostringstream results;
    std::ostringstream narration;
    results.setstate(std::ios::badbit);
    CHECK(run({"help"}, results, narration, false) == 1);
    CHECK_THAT(narration.str(), Catch::Contains("cannot write the result"));
}
