// SPDX-License-Identifier: Apache-2.0
#include "ratectl/command_line.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

#include "grammar/number.hpp"
#include "ratectl/commands/program_arguments.hpp"
#include "ratectl/help_text.hpp"
#include "ratectl/shared_options.hpp"

namespace ratectl {

namespace {

using ratecoord::grammar::in_quotes;

struct Split {
    const Entry* entry = nullptr;
    std::vector<std::string> arguments;  // of the command, options before its name included
    std::vector<std::string> program;    // behind "--" of exec
    bool has_program = false;
};

// The command is the first argument that is neither an option nor the value of --color.
std::size_t find_name(const std::vector<std::string>& arguments) {
    std::size_t at = 0;
    while (at < arguments.size() && arguments[at].starts_with('-')) {
        at += arguments[at] == "--color" ? 2 : 1;
    }
    return std::min(at, arguments.size());
}

Outcome<Split> split(const std::vector<std::string>& arguments) {
    Split parts;
    const auto at = find_name(arguments);
    const bool named = at < arguments.size();
    const std::string name = named ? arguments[at] : "list";
    parts.entry = find_command(name);
    if (parts.entry == nullptr) {
        const auto nearest = nearest_of(name, command_names());
        return tl::unexpected(usage_failure(
            "run " + in_quotes(name), "there is no such command",
            nearest.empty() ? "see 'ratectl help'"
                            : "did you mean 'ratectl " + std::string(nearest) + "'?"));
    }
    const auto middle = arguments.begin() + static_cast<std::ptrdiff_t>(at);
    parts.arguments.assign(arguments.begin(), middle);
    if (!named) return parts;
    auto end = arguments.end();
    if (name == "exec") {
        end = std::find(middle, arguments.end(), "--");
        parts.has_program = end != arguments.end();
        if (parts.has_program) parts.program.assign(end + 1, arguments.end());
    }
    parts.arguments.insert(parts.arguments.end(), middle + 1, end);
    return parts;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

Failure usage_of(const Entry& entry, std::string cause) {
    return usage_failure("run '" + std::string(entry.name) + "'", std::move(cause),
                         "see 'ratectl " + std::string(entry.name) + " --help'");
}

std::string unexpected_argument(const std::string& argument) {
    return argument.starts_with('-') && argument.size() > 1
               ? "the option " + in_quotes(argument) + " is unknown"
               : "the argument " + in_quotes(argument) + " is one too many";
}

std::optional<ColourWhen> colour_of(std::string_view when) {
    if (when == "auto") return ColourWhen::automatic;
    if (when == "always") return ColourWhen::always;
    if (when == "never") return ColourWhen::never;
    return std::nullopt;
}

void declare_to(CLI::App& parser, const Parameter& parameter) {
    const auto names =
        parameter.short_name.empty() ? parameter.name : parameter.short_name + "," + parameter.name;
    CLI::Option* option = nullptr;
    if (parameter.flag != nullptr) {
        option = parser.add_flag(names, *parameter.flag);
    } else if (parameter.text != nullptr) {
        option = parser.add_option(names, *parameter.text);
    } else {
        option = parser.add_option(names, *parameter.texts);
        // `--limit A NAME`: the name is not a second limit.
        if (!parameter.is_argument()) option->allow_extra_args(false);
    }
    option->required(parameter.required);
}

// Parses, or returns the text that was asked for instead.
Outcome<std::string> parse(const Entry& entry, const Parameters& parameters,
                           std::vector<std::string> arguments) {
    CLI::App parser;
    parser.set_help_flag("-h,--help");
    parser.set_version_flag("--version", "ratectl " RATECOORD_VERSION);
    parser.allow_extras();
    for (const auto& parameter : parameters.all()) {
        if (parameter.name != "--help" && parameter.name != "--version") {
            declare_to(parser, parameter);
        }
    }
    try {
        std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
        parser.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        return command_help(entry, parameters);
    } catch (const CLI::CallForVersion&) {
        return std::string("ratectl " RATECOORD_VERSION "\n");
    } catch (const CLI::ParseError& error) {
        return tl::unexpected(usage_of(entry, one_line(error.what())));
    }
    const auto rest = parser.remaining();
    if (!rest.empty()) return tl::unexpected(usage_of(entry, unexpected_argument(rest.front())));
    return std::string();
}

bool asks_for_help(const std::vector<std::string>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
        return argument == "--help" || argument == "-h";
    });
}

}  // namespace

Outcome<Request> read_command_line(const std::vector<std::string>& arguments, bool& wants_json) {
    const auto own_end = std::find(arguments.begin(), arguments.end(), "--");
    wants_json = std::find(arguments.begin(), own_end, "--json") != own_end;

    auto parts = split(arguments);
    if (!parts) return tl::unexpected(parts.error());
    Request request;
    if (find_name(arguments) == arguments.size() && asks_for_help(arguments)) {
        request.text = overview();
        return request;
    }
    request.command = parts->entry->make();
    Parameters parameters;
    SharedOptions shared;
    request.command->declare(parameters);
    shared.declare(parameters);
    auto text = parse(*parts->entry, parameters, std::move(parts->arguments));
    if (!text) return tl::unexpected(text.error());
    request.text = *std::move(text);
    const auto colour = colour_of(shared.colour);
    if (!colour) {
        return tl::unexpected(usage_of(*parts->entry, "--color " + in_quotes(shared.colour) +
                                                          " is none of auto, always, never"));
    }
    if (parts->has_program) {
        dynamic_cast<TakesProgram&>(*request.command).take_program(std::move(parts->program));
    }
    request.json = shared.json;
    request.colour = *colour;
    return request;
}

}  // namespace ratectl
