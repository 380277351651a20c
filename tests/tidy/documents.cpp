// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "tidy/rules.hpp"

namespace tidy {
namespace {

using WordSet = std::set<std::string>;

std::string join(const WordSet& words) {
    std::string text;
    for (const auto& word : words) text += " " + word;
    return text;
}

WordSet words_in(const std::string& text) {
    std::istringstream stream(text);
    WordSet words;
    for (std::string word; stream >> word;) words.insert(word);
    return words;
}

// The quoted list after `packages=` in ./dev.
WordSet packages_of_dev(const SourceFile& dev) {
    std::smatch match;
    if (!std::regex_search(dev.text, match, std::regex("(?:^|\\n)packages='([^']*)'"))) return {};
    return words_in(match[1].str());
}

// The words after `apt-get install` in the README's block behind <!-- packages -->, options left
// out.
WordSet packages_of_readme(const std::string& text) {
    const auto mark = text.find("<!-- packages -->");
    const auto install = text.find("install", mark);
    const auto end = text.find("```", install);
    if (install == std::string::npos || end == std::string::npos) return {};
    WordSet words;
    for (const auto& word : words_in(text.substr(install, end - install))) {
        if (word != "install" && word != "\\" && !word.starts_with('-')) words.insert(word);
    }
    return words;
}

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
    std::string output;
    std::array<char, 4096> buffer{};
    for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;) {
        output.append(buffer.data(), count);
    }
    return output;
}

WordSet matches(const std::string& text, const std::regex& pattern) {
    WordSet found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
        found.insert((*at)[1].str());
    }
    return found;
}

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// Does the CMakeLists.txt of the file's directory, or of one above it, name the file?
bool is_listed(const Tree& tree, const SourceFile& file) {
    auto directory = file.path;
    for (auto slash = directory.rfind('/'); slash != std::string::npos;
         slash = directory.rfind('/')) {
        directory.resize(slash);
        const auto* list = find_file(tree, directory + "/CMakeLists.txt");
        if (list == nullptr) continue;
        const auto name = file.path.substr(directory.size() + 1);
        if (find_word(list->text, name) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

Complaints check_sources_are_built(const Tree& tree) {
    Complaints complaints;
    for (const auto& file : tree) {
        const bool is_unit = file.path.ends_with(".cpp") || file.path.ends_with(".c") ||
                             file.is_under("lib/include");
        if (file.is_cpp() && is_unit && !is_listed(tree, file)) {
            complaints.push_back(
                complaint(file, 0, "no CMakeLists.txt names '" + file_name(file.path) + "'"));
        }
    }
    return complaints;
}

Complaints check_install_line(const Tree& tree) {
    const auto* dev = find_file(tree, "dev");
    const auto* readme = find_file(tree, "README.md");
    if (dev == nullptr) return {"dev: is missing"};
    const auto wanted = packages_of_dev(*dev);
    if (wanted.empty()) return {"dev: has no list of packages"};
    if (readme == nullptr || readme->text.find("<!-- packages -->") == std::string::npos) return {};
    const auto written = packages_of_readme(readme->text);
    if (written == wanted) return {};
    return {"README.md: its install line names" + join(written) + "; ./dev installs" +
            join(wanted)};
}

Complaints check_man_page(const Tree& tree, const std::filesystem::path& programs) {
    const auto* page = find_file(tree, "docs/man/ratectl.1.adoc");
    const auto program = programs / "ratectl";
    if (page == nullptr || !std::filesystem::exists(program)) return {};

    const auto run = [&](const std::string& arguments) {
        auto command = "'" + program.string() + "' ";
        return output_of(command.append(arguments).append(" --help 2>&1"));
    };
    const auto help = run("");
    const auto listed = help.find("ommands:");
    if (listed == std::string::npos) return {"ratectl --help: lists no commands"};
    const std::regex flag("(--[a-z][a-z0-9-]*)");
    Complaints complaints;
    const auto check = [&](const std::string& text, const std::string& command) {
        for (const auto& name : matches(text, flag)) {
            if (find_word(page->text, name) == std::string::npos) {
                complaints.push_back(complaint(
                    *page, 0, command + " takes " + name + ", which the page does not name"));
            }
        }
    };
    check(help, "ratectl");
    for (const auto& command : matches(help.substr(listed), std::regex("\\n  ([a-z][a-z-]*)"))) {
        check(run(command), "ratectl " + command);
        if (find_word(page->text, command) == std::string::npos) {
            complaints.push_back(complaint(*page, 0, "does not name the command " + command));
        }
    }
    return complaints;
}

}  // namespace tidy
