// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include "tidy/rules.hpp"

namespace tidy {
namespace {

constexpr std::array empty_names{"utils", "common", "helpers", "manager"};

bool is_empty_name(std::string_view name) {
    return std::find(empty_names.begin(), empty_names.end(), name) != empty_names.end();
}

// The words of a path or an identifier: parted by anything but letters and digits, and by capitals.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) == 0 || std::isupper(letter) != 0) words.emplace_back();
        if (std::isalnum(letter) != 0) {
            words.back() += static_cast<char>(std::tolower(letter));
        }
    }
    return words;
}

// Calls `visit(identifier, position)` for each identifier of `code`.
template <typename Visit>
void for_each_identifier(std::string_view code, Visit visit) {
    std::size_t at = 0;
    while (at < code.size()) {
        const auto is_part = [&](std::size_t i) {
            return i < code.size() &&
                   (std::isalnum(static_cast<unsigned char>(code[i])) != 0 || code[i] == '_');
        };
        auto end = at;
        while (is_part(end)) ++end;
        if (end > at) visit(code.substr(at, end - at), at);
        at = end + 1;
    }
}

bool is_empty_identifier(std::string_view identifier) {
    if (is_empty_name(identifier)) return true;
    const auto words = words_of(identifier);
    return words.back() != "common" && is_empty_name(words.back());
}

// The texts are put together here so that this file passes its own rule.
std::vector<std::string> banned_words() {
    return {std::string("TO") + "DO", std::string("FIX") + "ME", std::string("XX") + "X"};
}

std::vector<std::string> machine_paths() {
    return {std::string("/wo") + "rk/", std::string("/tmp/bash") + "_jobs",
            std::string("/ho") + "me/", std::string("/ro") + "ot/"};
}

bool needs_licence_line(const SourceFile& file) {
    return file.is_cpp() || file.path.ends_with("CMakeLists.txt") ||
           file.path.ends_with(".cmake") || file.path.ends_with(".cmake.in") ||
           file.path.ends_with(".sh") || file.path == "dev" || file.path == ".ci/run";
}

}  // namespace

Complaints check_names(const Tree& tree) {
    Complaints complaints;
    for (const auto& file : tree) {
        for (const auto& word : words_of(file.path)) {
            if (is_empty_name(word)) {
                complaints.push_back(complaint(file, 0, "'" + word + "' names nothing"));
            }
        }
        for_each_identifier(file.code, [&](std::string_view identifier, std::size_t at) {
            if (is_empty_identifier(identifier)) {
                complaints.push_back(complaint(file, line_of(file.code, at),
                                               "'" + std::string(identifier) + "' names nothing"));
            }
        });
    }
    return complaints;
}

Complaints check_banned_texts(const Tree& tree) {
    Complaints complaints;
    for (const auto& file : tree) {
        for (const auto& word : banned_words()) {
            const auto at = find_word(file.text, word);
            if (at != std::string::npos) {
                complaints.push_back(complaint(file, line_of(file.text, at),
                                               "'" + word + "': do it, or file an issue"));
            }
        }
        for (const auto& path : machine_paths()) {
            const auto at = file.text.find(path);
            if (at != std::string::npos) {
                complaints.push_back(complaint(file, line_of(file.text, at),
                                               "'" + path + "' is a path of one machine"));
            }
        }
    }
    return complaints;
}

Complaints check_licence_lines(const Tree& tree) {
    const std::string line = "SPDX-License-Identifier: Apache-2.0";
    Complaints complaints;
    for (const auto& file : tree) {
        if (!needs_licence_line(file)) continue;
        const auto lines = split_lines(file.text);
        const auto end = lines.begin() + std::min<std::ptrdiff_t>(std::ssize(lines), 2);
        if (std::none_of(lines.begin(), end,
                         [&](const auto& text) { return text.ends_with(line); })) {
            complaints.push_back(complaint(file, 0, "lacks '" + line + "' in its first two lines"));
        }
    }
    return complaints;
}

}  // namespace tidy
