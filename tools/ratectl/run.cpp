// SPDX-License-Identifier: Apache-2.0
#include "ratectl/run.hpp"

#include <cstdlib>
#include <exception>

#include "ratectl/command_line.hpp"
#include "ratectl/console.hpp"

namespace ratectl {

namespace {

bool wants_colour(ColourWhen when, bool terminal) {
    if (when != ColourWhen::automatic) return when == ColourWhen::always;
    const char* refused = std::getenv("NO_COLOR");  // no-color.org: set and not empty
    return terminal && (refused == nullptr || *refused == '\0');
}

Done run_request(const std::vector<std::string>& arguments, Console& console, bool terminal) {
    auto request = read_command_line(arguments, console.json);
    if (!request) return tl::unexpected(request.error());
    if (!request->text.empty()) {
        console.print(request->text);
        return ExitCode::done;
    }
    console.json = request->json;
    console.colour = !console.json && wants_colour(request->colour, terminal);
    return request->command->run(console);
}

int finish(const Done& done, Console& console, std::ostream& results) {
    auto exit = done ? *done : done.error().exit;
    if (!done) console.report(done.error());
    results.flush();
    if (!results && exit == ExitCode::done) {
        console.narrate("ratectl: cannot write the result: the output is closed or full");
        exit = ExitCode::failed;
    }
    return static_cast<int>(exit);
}

Failure internal_failure(const char* cause) {
    return {.what = "go on",
            .cause = cause,
            .hint = "this is a fault of ratectl; please report it with the command you ran",
            .code = "internal",
            .exit = ExitCode::internal,
            .retry_after_ns = std::nullopt};
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& results, std::ostream& narration,
        bool results_are_a_terminal) noexcept {
    try {
        Console console(results, narration);
        try {
            return finish(run_request(arguments, console, results_are_a_terminal), console,
                          results);
        } catch (const std::exception& error) {
            return finish(tl::unexpected(internal_failure(error.what())), console, results);
        }
    } catch (...) {
        return static_cast<int>(ExitCode::internal);  // not even the report could be written
    }
}

}  // namespace ratectl
