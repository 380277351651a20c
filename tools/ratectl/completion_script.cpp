// SPDX-License-Identifier: Apache-2.0
#include "ratectl/completion_script.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "ratectl/reports/top_report.hpp"
#include "ratectl/shared_options.hpp"

namespace ratectl {

namespace {

std::string joined_commands() {
    std::string names;
    for (const auto& entry : command_table()) {
        names += names.empty() ? "" : " ";
        names += entry.name;
    }
    return names;
}

std::string topic_names() {
    std::string names = joined_commands();
    for (const auto& topic : help_topics()) names += fmt::format(" {}", topic.name);
    return names;
}

// "--limit|--for|...": the options of any command whose value is free text.
std::string free_options(const std::vector<CompletedCommand>& commands) {
    std::vector<std::string> seen;
    for (const auto& command : commands) {
        for (const auto& parameter : command.parameters) {
            if (parameter.is_argument() || parameter.value.empty()) continue;
            if (!choices_of(parameter).empty()) continue;
            for (const auto& name : {parameter.name, parameter.short_name}) {
                if (name.empty()) continue;
                if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.push_back(name);
            }
        }
    }
    std::string text;
    for (const auto& name : seen) text += (text.empty() ? "" : "|") + name;
    return text;
}

std::string bash_choices(const std::vector<CompletedCommand>& commands) {
    std::vector<std::string> seen;
    std::string text;
    for (const auto& command : commands) {
        for (const auto& parameter : command.parameters) {
            if (parameter.is_argument() || choices_of(parameter).empty()) continue;
            if (std::find(seen.begin(), seen.end(), parameter.name) != seen.end()) continue;
            seen.push_back(parameter.name);
            text +=
                fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                            parameter.name, choices_of(parameter));
        }
    }
    return text;
}

std::string bash_words(const CompletedCommand& command) {
    std::string options;
    std::string words;
    for (const auto& parameter : command.parameters) {
        if (!parameter.is_argument()) {
            options += (options.empty() ? "" : " ") + parameter.name;
        } else if (is_budget(parameter)) {
            words = "$(_ratectl_budgets)";
        } else if (is_profile(parameter)) {
            words += (words.empty() ? "" : " ") + std::string("$(_ratectl_profiles)");
        } else if (const auto choices = choices_of(parameter); !choices.empty()) {
            words = choices;
        }
    }
    return fmt::format("        {}) options='{}'{} ;;\n", command.name, options,
                       words.empty() ? "" : fmt::format(" words=\"{}\"", words));
}

// Within single quotes of sh.
std::string escaped(std::string_view text) {
    std::string shown;
    for (const char c : text) shown += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return shown;
}

// Within a specification of _arguments: its own marks are escaped too.
std::string zsh_escaped(std::string_view text) {
    std::string shown;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':') shown += '\\';
        shown += c;
    }
    return escaped(shown);
}

std::string zsh_action(const Parameter& parameter) {
    if (is_budget(parameter)) return "_ratectl_budgets";
    if (is_profile(parameter)) return "_ratectl_profiles";
    const auto choices = choices_of(parameter);
    return choices.empty() ? " " : fmt::format("({})", choices);
}

std::string zsh_specification(const Parameter& parameter) {
    const auto description = zsh_escaped(parameter.description);
    if (parameter.is_argument()) {
        const char* prefix = parameter.is_repeated() ? "*" : parameter.required ? "" : ":";
        return fmt::format("'{}:{}:{}'", prefix, zsh_escaped(parameter.name),
                           zsh_action(parameter));
    }
    const char* prefix = parameter.is_repeated() ? "*" : "";
    if (parameter.value.empty())
        return fmt::format("'{}{}[{}]'", prefix, parameter.name, description);
    return fmt::format("'{}{}[{}]:{}:{}'", prefix, parameter.name, description,
                       zsh_escaped(parameter.value), zsh_action(parameter));
}

std::string fish_option(const CompletedCommand& command, const Parameter& parameter) {
    auto text = fmt::format("complete -c ratectl -n '__fish_seen_subcommand_from {}' -l {}",
                            command.name, parameter.name.substr(2));
    if (!parameter.short_name.empty()) text += " -s " + parameter.short_name.substr(1);
    if (!parameter.value.empty()) text += " -x";
    if (const auto choices = choices_of(parameter); !choices.empty()) {
        text += fmt::format(" -a '{}'", choices);
    }
    return text + fmt::format(" -d '{}'\n", escaped(parameter.description));
}

std::string fish_positional(const CompletedCommand& command, const Parameter& parameter) {
    const std::string words = is_budget(parameter)    ? "(__ratectl_budgets)"
                              : is_profile(parameter) ? "(__ratectl_profiles)"
                                                      : std::string(choices_of(parameter));
    if (words.empty()) return {};
    return fmt::format("complete -c ratectl -n '__fish_seen_subcommand_from {}' -a '{}' -d '{}'\n",
                       command.name, words, escaped(parameter.description));
}

}  // namespace

std::vector<CompletedCommand> completed_commands() {
    std::vector<CompletedCommand> commands;
    for (const auto& entry : command_table()) {
        const auto command = entry.make();
        SharedOptions shared;
        Parameters parameters;
        command->declare(parameters);
        shared.declare(parameters);
        // The targets die here: only the words are used.
        commands.push_back(
            {std::string(entry.name), std::string(entry.sentence), parameters.all()});
    }
    return commands;
}

std::string_view choices_of(const Parameter& parameter) {
    static const std::string topics = topic_names();
    static const std::array<std::pair<std::string_view, std::string_view>, 10> choices{
        {{"ACTION", "list show check import"},
         {"--color", "auto always never"},
         {"--kind", "manual cooldown ban"},
         {"--sort", top_sorts},
         {"--scenario", "herd layers"},
         {"--backoff", "none full equal decorrelated"},
         {"--lane", "normal critical"},
         {"--intent", "read open close"},
         {"SHELL", "bash zsh fish"},
         {"TOPIC", topics}}};
    for (const auto& [name, words] : choices) {
        if (name == parameter.name) return words;
    }
    return {};
}

bool is_budget(const Parameter& parameter) {
    return parameter.is_argument() && parameter.name == "NAME";
}

bool is_profile(const Parameter& parameter) {
    return parameter.is_argument() && parameter.name == "PROFILE";
}

std::string bash_completion() {
    const auto commands = completed_commands();
    std::string text = fmt::format(
        "# bash completion for ratectl, printed by 'ratectl completion bash'.\n"
        "_ratectl_budgets() {{\n    {}\n}}\n\n"
        "_ratectl_profiles() {{\n    {}\n}}\n\n"
        "_ratectl() {{\n"
        "    local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
        "    local command='' options='--json --color --help --version' words='' at\n"
        "    COMPREPLY=()\n"
        "    for ((at = 1; at < COMP_CWORD; at++)); do\n"
        "        case ${{COMP_WORDS[at]}} in\n"
        "            --) COMPREPLY=($(compgen -c -f -- \"$word\")); return ;;\n"
        "            --color) ((at++)) ;;\n"
        "            -*) ;;\n"
        "            *) [[ -z $command ]] && command=${{COMP_WORDS[at]}} ;;\n"
        "        esac\n"
        "    done\n"
        "    case $previous in\n{}"
        "        {}) return ;;\n"
        "    esac\n"
        "    case $command in\n"
        "        '') words='{}' ;;\n",
        budgets_pipeline, profiles_pipeline, bash_choices(commands), free_options(commands),
        joined_commands());
    for (const auto& command : commands) text += bash_words(command);
    return text +
           "    esac\n"
           "    [[ $word == -* ]] && words=$options\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "}\n\n"
           "complete -F _ratectl ratectl\n";
}

std::string zsh_completion() {
    std::string text = fmt::format(
        "#compdef ratectl\n"
        "# zsh completion for ratectl, printed by 'ratectl completion zsh'.\n"
        "_ratectl_budgets() {{\n"
        "    local -a budgets\n"
        "    budgets=(${{(f)\"$({})\"}})\n"
        "    compadd -a budgets\n"
        "}}\n\n"
        "_ratectl_profiles() {{\n"
        "    local -a profiles\n"
        "    profiles=(${{(f)\"$({})\"}})\n"
        "    compadd -a profiles\n"
        "}}\n\n"
        "_ratectl() {{\n"
        "    local context state state_descr line\n"
        "    typeset -A opt_args\n"
        "    local -a commands\n"
        "    commands=(\n",
        budgets_pipeline, profiles_pipeline);
    const auto commands = completed_commands();
    for (const auto& command : commands) {
        text += fmt::format("        '{}:{}'\n", command.name, zsh_escaped(command.sentence));
    }
    text +=
        "    )\n"
        "    _arguments -C '1:command:->command' '*::argument:->argument'\n"
        "    case $state in\n"
        "        command) _describe command commands ;;\n"
        "        argument)\n"
        "            case $words[1] in\n";
    for (const auto& command : commands) {
        text += fmt::format("                {})\n                    _arguments", command.name);
        for (const auto& parameter : command.parameters) {
            text += " \\\n                        " + zsh_specification(parameter);
        }
        text += "\n                    ;;\n";
    }
    return text +
           "            esac\n"
           "            ;;\n"
           "    esac\n"
           "}\n\n"
           "_ratectl \"$@\"\n";
}

std::string fish_completion() {
    std::string text = fmt::format(
        "# fish completion for ratectl, printed by 'ratectl completion fish'.\n"
        "function __ratectl_budgets\n    {}\nend\n\n"
        "function __ratectl_profiles\n    {}\nend\n\n"
        "complete -c ratectl -f\n",
        budgets_pipeline, profiles_pipeline);
    const auto commands = completed_commands();
    for (const auto& command : commands) {
        text += fmt::format("complete -c ratectl -n __fish_use_subcommand -a {} -d '{}'\n",
                            command.name, escaped(command.sentence));
    }
    for (const auto& command : commands) {
        for (const auto& parameter : command.parameters) {
            text += parameter.is_argument() ? fish_positional(command, parameter)
                                            : fish_option(command, parameter);
        }
    }
    return text;
}

}  // namespace ratectl
