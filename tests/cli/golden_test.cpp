// SPDX-License-Identifier: Apache-2.0
//
// Each file under golden/ is one case: what was done before, the command, its exit code and what it
// wrote.
//
//     before: create binance-spot --limit weight=6000/1m --full     any number of these
//     attach: binance-spot weight=1        the test itself is a client and draws that
//     $ ratectl list
//     exit: 0
//     == results ==
//     ...
//     == narration ==
//     ...
//
// <source> is the checkout; profiles are those of tests/cli/profiles. Values that differ from run
// to run are replaced by words in <>. UPDATE_GOLDEN=1 rewrites what stands below the command.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include <ratecoord/budget.hpp>

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

struct Case {
    std::string script;  // up to and with the command
    std::vector<std::string> before;
    std::vector<std::string> attach;
    std::string command;  // empty: ratectl alone
    bool has_command = false;
    std::string expected;  // below the command
};

Case read_case(const std::string& path) {
    Case golden;
    std::istringstream lines(file_text(path));
    for (std::string line; std::getline(lines, line);) {
        if (golden.has_command) {
            golden.expected += line + "\n";
            continue;
        }
        golden.script += line + "\n";
        if (line.starts_with("before: ")) golden.before.push_back(line.substr(8));
        if (line.starts_with("attach: ")) golden.attach.push_back(line.substr(8));
        if (line.starts_with("$ ratectl")) {
            golden.command = line.substr(9);
            golden.has_command = true;
        }
    }
    return golden;
}

std::string source_directory() {
    return std::getenv("RATECOORD_SOURCE_DIR");
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what)) {
        text.replace(at, what.size(), by);
    }
}

std::string normalised(std::string text, const std::string& directory) {
    const std::pair<const char*, const char*> rules[] = {
        {R"re(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z)re", "<instant>"},
        {R"re(\b[0-9a-f]{32}\b)re", "<segment>"},
        {R"re(pid \d+)re", "pid <pid>"},
        {R"re(permit \d+)re", "permit <id>"},
        {R"re(\d+ bytes)re", "<bytes> bytes"},
        {R"re(\d+ commits?)re", "<commits> commits"},
        {R"re(\b(\d+h\d+m|\d+m\d+s|\d+m|\d+(\.\d+)?s|\d+ms) (ago|left))re", "<time> $3"},
        {R"re((within|another|but in|waited|in) (\d+h\d+m|\d+m\d+s|\d+(\.\d+)?s|\d+ms)\b)re",
         "$1 <time>"},
        {R"re((but in|counts for) \d+d( ?\d+h)?)re", "$1 <time>"},
        {R"re(of \d+s)re", "of <time>"},
        {R"re(\b\dh\d\dm  )re", "#h##m  "},  // in a column: as wide as it was
        {R"re("([a-z_]+_seconds|pid|bytes|permit|commits_total)":-?[0-9.e-]+)re",
         R"re("$1":<number>)re"},
    };
    replace_all(text, directory, "<dir>");
    replace_all(text, source_directory(), "<source>");
    for (const auto& [pattern, word] : rules) {
        text = std::regex_replace(text, std::regex(pattern), word);
    }
    return text;
}

// The client that `line` asks for: "NAME LIMIT=UNITS".
Budget attach(const std::string& line) {
    const auto words = split_command(line);
    auto budget = Budget::attach(words.at(0), {.label = "md-gateway"}).value();
    const auto equals = words.at(1).find('=');
    const auto units = std::stoull(words.at(1).substr(equals + 1));
    const auto limit = words.at(1).substr(0, equals);
    const auto cost = budget.cost({{limit, units, words.size() > 2 ? words[2] : ""}}).value();
    REQUIRE(budget.try_acquire(cost).value().granted());
    return budget;
}

std::string section(const std::string& title, const std::string& text) {
    return text.empty() ? "" : "== " + title + " ==\n" + text;
}

void check(const std::filesystem::path& path) {
    auto golden = read_case(path.string());
    const ScratchDirectory directory;
    for (const auto& before : golden.before) {
        const auto ran = run_ratectl(split_command(before));
        INFO("before: " << before << '\n' << ran.narration);
        REQUIRE(ran.exit == 0);
    }
    std::vector<Budget> clients;
    for (const auto& line : golden.attach) clients.push_back(attach(line));

    replace_all(golden.command, "<source>", source_directory());
    const auto ran = run_ratectl(split_command(golden.command));
    const auto got = "exit: " + std::to_string(ran.exit) + "\n" +
                     section("results", normalised(ran.results, directory.path())) +
                     section("narration", normalised(ran.narration, directory.path()));
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path) << golden.script << got;
        return;
    }
    INFO(path.filename().string() << ": ratectl" << golden.command);
    CHECK(got == golden.expected);
}

}  // namespace

TEST_CASE("ratectl writes what its golden files say") {
    const std::filesystem::path folder = source_directory() + "/tests/cli/golden";
    const ProfileDirectory profiles(source_directory() + "/tests/cli/profiles");
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".golden") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    REQUIRE(files.size() > 30);
    for (const auto& file : files) check(file);
}
