// SPDX-License-Identifier: Apache-2.0
#include "ratectl/help_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ratectl/shared_options.hpp"

namespace ratectl {

namespace {

constexpr std::size_t text_width = 90;

// "  name   description", the description broken so that it stays in its column.
std::string item(const std::string& name, std::size_t name_width, std::string_view description) {
    std::string text = fmt::format("  {:<{}}  ", name, name_width);
    const std::size_t indent = text.size();
    std::size_t column = indent;
    while (!description.empty()) {
        const auto end = std::min(description.find(' '), description.size());
        const auto word = description.substr(0, end);
        if (column > indent && column + word.size() + 1 > text_width) {
            text += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            text += ' ';
            ++column;
        }
        text += word;
        column += word.size();
        description.remove_prefix(std::min(end + 1, description.size()));
    }
    return text + "\n";
}

std::string left_side(const Parameter& parameter) {
    if (parameter.is_argument()) return parameter.name;
    std::string text = parameter.short_name.empty() ? "" : parameter.short_name + ", ";
    text += parameter.name;
    return parameter.value.empty() ? text : text + " " + parameter.value;
}

std::vector<Parameter> shared_parameters() {
    Parameters parameters;
    SharedOptions shared;
    shared.declare(parameters);
    return parameters.all();
}

bool is_shared(const Parameter& parameter) {
    static const auto shared = shared_parameters();
    return std::any_of(shared.begin(), shared.end(),
                       [&](const auto& each) { return each.name == parameter.name; });
}

std::string usage_line(const Entry& entry, const std::vector<Parameter>& parameters) {
    std::string text = fmt::format("usage: ratectl {}", entry.name);
    bool has_options = false;
    for (const auto& parameter : parameters) {
        has_options = has_options || (!parameter.is_argument() && !is_shared(parameter));
        if (!parameter.is_argument()) continue;
        const std::string name = parameter.name + (parameter.is_repeated() ? "..." : "");
        text += parameter.required ? " " + name : " [" + name + "]";
    }
    if (has_options) text += " [OPTIONS]";
    if (entry.name == "exec") text += " -- PROGRAM [ARGUMENTS...]";
    return text + "\n";
}

template <typename Choose>
void write_section(std::string& text, std::string_view title,
                   const std::vector<Parameter>& parameters, Choose choose) {
    std::size_t width = 0;
    for (const auto& parameter : parameters) {
        if (choose(parameter)) width = std::max(width, left_side(parameter).size());
    }
    if (width == 0) return;
    text += fmt::format("\n{}:\n", title);
    for (const auto& parameter : parameters) {
        if (choose(parameter)) text += item(left_side(parameter), width, parameter.description);
    }
}

}  // namespace

std::string overview() {
    std::string text =
        "usage: ratectl [COMMAND] [ARGUMENTS]\n\n"
        "Shows and steers the budgets that the processes of this host share.\n"
        "Without a command: list.\n\ncommands:\n";
    std::size_t width = 0;
    for (const auto& entry : command_table()) width = std::max(width, entry.name.size());
    for (const auto& entry : command_table()) {
        text += item(std::string(entry.name), width, entry.sentence);
    }
    write_section(text, "options of every command", shared_parameters(),
                  [](const auto&) { return true; });
    text += "\n'ratectl help TOPIC' explains:";
    for (const auto& topic : help_topics()) {
        text += fmt::format("{} {}", &topic == help_topics().data() ? "" : ",", topic.name);
    }
    return text + "\n";
}

std::string command_help(const Entry& entry, const Parameters& declared) {
    const auto& parameters = declared.all();
    std::string text = usage_line(entry, parameters);
    text += fmt::format("\n{}\n", entry.sentence);
    write_section(text, "arguments", parameters, [](const auto& p) { return p.is_argument(); });
    write_section(text, "options", parameters,
                  [](const auto& p) { return !p.is_argument() && !is_shared(p); });
    write_section(text, "options of every command", parameters,
                  [](const auto& p) { return !p.is_argument() && is_shared(p); });
    if (!declared.remark().empty()) text += "\n" + declared.remark() + "\n";
    return text;
}

}  // namespace ratectl
