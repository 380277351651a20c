// SPDX-License-Identifier: Apache-2.0
#include "demo/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "grammar/number.hpp"

namespace demo {

namespace {

constexpr const char* description =
    "Shows what one budget for every process of a host is worth: real processes, a real HTTP "
    "venue\n"
    "on loopback, every figure from the venue's own arrival log.";

constexpr const char* footer =
    "SCENE      today       100 private retry loops, then 40 private token buckets that get "
    "banned\n"
    "           shared      the same 100 clients, as 100 processes with one budget\n"
    "           ban         40 processes, a 418 with Retry-After, again and again\n"
    "           thousand    1,000 clients, as 40 processes of 25 threads (99 s)\n"
    "           saturation  64 processes, mixed costs, 60 s\n"
    "           two-limits  40 processes, two limits near their quota, 40 s\n"
    "           strangers   20 processes, and one that draws 30 % of the quota past the budget, 40 "
    "s\n"
    "Without --scene: today, shared, ban.\n"
    "\n"
    "Exit       0 every bar was met, 1 one was missed or the demo failed, 2 usage";

constexpr std::array known{"today",      "shared",     "ban",      "thousand",
                           "saturation", "two-limits", "strangers"};

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         const std::string& why) {
    throw UsageError("cannot use " + option + " '" + text + "': " + why,
                     "see 'ratecoord-demo --help'");
}

std::vector<std::string> scenes_of(const std::vector<std::string>& named,
                                   const std::string& clients) {
    for (const std::string& scene : named) {
        if (std::find(known.begin(), known.end(), scene) == known.end()) {
            refuse("--scene", scene, "there is no such scene");
        }
    }
    if (!clients.empty() && clients != "100" && clients != "1000") {
        refuse("--clients", clients, "it is neither 100 nor 1000");
    }
    if (!clients.empty() && !named.empty()) {
        throw UsageError("cannot read the command line: --clients and --scene exclude each other",
                         "leave one of them out");
    }
    if (clients == "1000") return {"thousand"};
    if (!named.empty()) return named;
    return {"today", "shared", "ban"};
}

}  // namespace

Options read_options(int argc, const char* const* argv) {
    CLI::App app{description, "ratecoord-demo"};
    app.footer(footer);
    Options options;
    std::vector<std::string> scenes;
    std::string clients;
    std::string bans = "20";
    app.add_option("--scene", scenes, "Play only this scene; repeatable")
        ->type_name("SCENE")
        ->allow_extra_args(false);
    app.add_option("--clients", clients, "1000: the same as --scene thousand")
        ->type_name("100|1000");
    app.add_option("--bans", bans, "Bans in the scene ban (20)")->type_name("N");
    app.add_option("--json", options.json_file, "Write the figures there, too")->type_name("FILE");
    app.add_option("--keep", options.keep, "Keep the logs of venue and herd in this directory")
        ->type_name("DIR");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        throw HelpText{app.help()};
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string("cannot read the command line: ") + error.what(),
                         "see 'ratecoord-demo --help'");
    }
    options.scenes = scenes_of(scenes, clients);
    const auto count = ratecoord::grammar::parse_number("--bans", bans);
    if (!count || *count < 1 || *count > 200) {
        refuse("--bans", bans, "it must be a number between 1 and 200");
    }
    options.bans = static_cast<unsigned>(*count);
    return options;
}

}  // namespace demo
