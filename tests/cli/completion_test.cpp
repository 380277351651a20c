// SPDX-License-Identifier: Apache-2.0
#include "ratectl/completion_script.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/catch.hpp"

using namespace ratectl;

namespace {

// UPDATE_GOLDEN=1 rewrites the installed file.
void check_file(const std::string& name, const std::string& text) {
    const auto path =
        std::string(std::getenv("RATECOORD_SOURCE_DIR")) + "/packaging/completions/" + name;
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path) << text;
        return;
    }
    std::ifstream stream(path);
    const std::string installed{std::istreambuf_iterator<char>(stream), {}};
    INFO(path);
    CHECK(installed == text);
}

}  // namespace

TEST_CASE("the installed completions are what ratectl prints") {
    check_file("ratectl.bash", bash_completion());
    check_file("_ratectl", zsh_completion());
    check_file("ratectl.fish", fish_completion());
}

TEST_CASE("each completion knows every command and every option") {
    for (const auto& script : {bash_completion(), zsh_completion(), fish_completion()}) {
        for (const auto& command : completed_commands()) {
            CHECK_THAT(script, Catch::Contains(command.name));
            for (const auto& parameter : command.parameters) {
                if (parameter.is_argument()) continue;
                CHECK_THAT(script, Catch::Contains(parameter.name.substr(2)));
            }
        }
    }
}

TEST_CASE("the bash completion is a script that bash reads") {
    const std::string path =
        std::string(std::getenv("RATECOORD_SOURCE_DIR")) + "/packaging/completions/ratectl.bash";
    CHECK(std::system(("bash -n '" + path + "'").c_str()) == 0);
    const auto completed = "bash -c 'source \"" + path +
                           "\"; COMP_WORDS=(ratectl unh); COMP_CWORD=1; _ratectl; "
                           "[[ ${COMPREPLY[*]} == unhalt ]]'";
    CHECK(std::system(completed.c_str()) == 0);
}

TEST_CASE("the names of profiles are cut from what the list prints") {
    const auto command =
        "printf 'PROFILE  AS OF       CONFIDENCE  TITLE\nokx      2026-02-23  A           OKX V5\n"
        "bad      -           -           cannot be used\n2 profiles\n' | " +
        std::string(profiles_pipeline.substr(profiles_pipeline.find("sed"))) + " | grep -qx okx";
    CHECK(std::system(command.c_str()) == 0);
}
